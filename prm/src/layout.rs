//! The form in which layouts are written down.

use crate::bits::Field;

/// A layout as data, for whoever decodes or checks without knowing it by name.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The PRM's name, in lower case.
    pub name: &'static str,
    /// Size in bits without open-ended arrays.
    pub bits: usize,
    /// Fields by the PRM's names, in upper case. Reserved bits are left out.
    pub fields: &'static [(&'static str, Field)],
}

/// Layouts of one family. `NAME: off, width;` is a field, `NAME: off, width [n];` a
/// field that is an array of `n` elements, `[..]` an open-ended one whose first element
/// the field is; `as Type` names the layout of what lies there.
macro_rules! layouts {
    ($(#[$all_doc:meta])* pub $all:ident; $(
        $(#[$doc:meta])*
        $ty:ident = $name:literal, $bits:literal {
            $($field:ident: $off:literal, $width:literal $([$($count:tt)+])? $(as $inner:ident)?;)*
        }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $ty {}

            impl $ty {
                /// Size in bits, without what an open-ended array holds.
                pub const BITS: usize = $bits;
                /// Size in bytes, without what an open-ended array holds.
                pub const SIZE: usize = $bits / 8;
                $(
                    #[doc = concat!(
                        "Bits ", stringify!($off), ", width ", stringify!($width)
                        $(, ", array [", stringify!($($count)+), "]")?
                        $(, ", a [`", stringify!($inner), "`](crate::ifc)")?,
                        "."
                    )]
                    pub const $field: $crate::bits::Field = $crate::bits::Field::new(
                        $off,
                        $width $(* $crate::layout::layouts!(@count $($count)+))?,
                    );
                )*
                /// The layout as data.
                pub const LAYOUT: $crate::layout::Layout = $crate::layout::Layout {
                    name: $name,
                    bits: $bits,
                    fields: &[$((stringify!($field), Self::$field)),*],
                };
            }
        )*

        $(#[$all_doc])*
        pub const $all: &[$crate::layout::Layout] = &[$($ty::LAYOUT),*];
    };
    (@count ..) => { 1 };
    (@count $n:literal) => { $n };
}

pub(crate) use layouts;
