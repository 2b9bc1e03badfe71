//! The kernel's declarations of objects, methods and attributes, as tables.
//!
//! The tables are generated at build time from `abi/uapi-7.x.json`, which was read from
//! the kernel's own source; ids include the driver name space bit (0x1000).

/// A kernel generation whose uverbs interface the face can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Linux 6.1.
    V6_1,
    /// Linux 6.12.
    V6_12,
    /// Linux 7.2.
    V7_2,
}

impl Generation {
    /// The later of two generations.
    pub const fn max2(a: Generation, b: Generation) -> Generation {
        if a as u8 >= b as u8 { a } else { b }
    }
}

/// How an attribute travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Input bytes: inside the attribute up to 8, by address above.
    PtrIn,
    /// Output bytes, always by address.
    PtrOut,
    /// A 64-bit input constant.
    ConstIn,
    /// Input flags of 4 or 8 bytes.
    FlagsIn,
    /// A numbered choice with an input of its own; minimum and maximum length of each.
    EnumIn(&'static [(u16, u16)]),
    /// An object by handle.
    Idr,
    /// An object by file descriptor.
    Fd,
    /// A file descriptor that is not an object.
    RawFd,
    /// An array of handles.
    IdrArray,
}

/// What a method does to the object that an attribute names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Uses it.
    Read,
    /// Uses it exclusively.
    Write,
    /// Makes it.
    New,
    /// Destroys it.
    Destroy,
}

/// One attribute of a method.
#[derive(Debug)]
pub struct AttrSpec {
    /// Attribute id.
    pub id: u16,
    /// The constant's name in the kernel's headers.
    pub name: &'static str,
    /// How it travels.
    pub kind: Kind,
    /// What the method does to the object it names.
    pub access: Access,
    /// Type of the object it names; 0xffff takes any.
    pub object: u16,
    /// Whether a call without it is refused.
    pub mandatory: bool,
    /// Shortest length accepted (elements for an array).
    pub min: u16,
    /// Longest length accepted; 0xffff has no bound.
    pub max: u16,
    /// A longer input is accepted if the rest is zero, a longer output is zero filled.
    pub zero_trailing: bool,
    /// The kernel copies the input before the method runs.
    pub copied: bool,
    /// Part of the driver's own data.
    pub udata: bool,
    /// First kernel that has it.
    pub since: Generation,
}

/// One method.
#[derive(Debug)]
pub struct MethodSpec {
    /// Object type.
    pub object: u16,
    /// Method id.
    pub method: u16,
    /// Object name without its prefix.
    pub object_name: &'static str,
    /// Method name without its prefix.
    pub name: &'static str,
    /// First kernel that has it.
    pub since: Generation,
    /// Its attributes.
    pub attrs: &'static [AttrSpec],
}

/// One object type.
#[derive(Debug)]
pub struct ObjectSpec {
    /// Object type id.
    pub id: u16,
    /// Name without its prefix.
    pub name: &'static str,
    /// First kernel that has it.
    pub since: Generation,
}

/// A command of the older write(2) interface, also reachable through INVOKE_WRITE.
#[derive(Debug)]
pub struct WriteSpec {
    /// Whether it belongs to the extended set.
    pub extended: bool,
    /// Command number.
    pub command: u32,
    /// Name without its prefix; extended ones start with `EX_`.
    pub name: &'static str,
    /// Shortest core request, in bytes.
    pub request: u32,
    /// Shortest core response, in bytes.
    pub response: u32,
    /// Whether the driver has data of its own in it.
    pub udata: bool,
}

include!(concat!(env!("OUT_DIR"), "/kernel_specs.rs"));

/// The method, if the kernel of that generation has it.
pub fn method(generation: Generation, object: u16, method: u16) -> Option<&'static MethodSpec> {
    METHODS.iter().find(|m| m.object == object && m.method == method && m.since <= generation)
}

/// The object type's name.
pub fn object_name(object: u16) -> Option<&'static str> {
    OBJECTS.iter().find(|o| o.id == object).map(|o| o.name)
}

/// The method by the name that records and fault rules use: `OBJECT.METHOD`.
pub fn method_by_name(name: &str) -> Option<&'static MethodSpec> {
    let (object, method) = name.split_once('.')?;
    METHODS.iter().find(|m| m.object_name == object && m.name == method)
}

/// Bit of a write command word that selects the extended set.
pub const EXTENDED: u32 = 0x8000_0000;

/// The write command of a command word (extended bit and number).
pub fn write_command(word: u32) -> Option<&'static WriteSpec> {
    WRITE_COMMANDS.iter().find(|w| w.extended == (word & EXTENDED != 0) && w.command == word & 0xff)
}

/// The write command of that name.
pub fn write_command_by_name(name: &str) -> Option<&'static WriteSpec> {
    WRITE_COMMANDS.iter().find(|w| w.name == name)
}

/// Every name a fault rule can give, for error messages.
pub fn names() -> impl Iterator<Item = String> {
    METHODS
        .iter()
        .map(|m| format!("{}.{}", m.object_name, m.name))
        .chain(WRITE_COMMANDS.iter().map(|w| format!("WRITE.{}", w.name)))
}

impl MethodSpec {
    /// The attribute with that id, if the kernel of that generation has it.
    pub fn attr(&self, generation: Generation, id: u16) -> Option<&'static AttrSpec> {
        self.attrs.iter().find(|a| a.id == id && a.since <= generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_add_methods_and_attributes() {
        let data_direct = |g| method(g, 0, 0x1001).is_some();
        assert!(!data_direct(Generation::V6_1));
        assert!(data_direct(Generation::V6_12));
        assert!(method(Generation::V6_12, 18, 0).is_none(), "DMABUF.ALLOC is new in 7.2");
        assert!(method(Generation::V7_2, 18, 0).is_some());
        let get_context = method(Generation::V7_2, 0, 3).expect("GET_CONTEXT");
        assert!(get_context.attr(Generation::V6_12, 2).is_none(), "FD_ARR is new in 7.2");
        assert!(get_context.attr(Generation::V7_2, 2).is_some());
    }

    #[test]
    fn names_are_unique_and_short() {
        let mut all: Vec<String> = names().collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
        for name in
            ["DEVX_OBJ.CREATE", "UAR.ALLOC", "DEVICE.MLX5_QUERY_PORT", "WRITE.EX_QUERY_DEVICE", "QP.DESTROY"]
        {
            assert!(all.iter().any(|n| n == name), "{name}");
        }
    }

    #[test]
    fn choices_are_numbered_as_the_kernel_does() {
        let create = method_by_name("FLOW_MATCHER.CREATE").expect("FLOW_MATCHER.CREATE");
        let kind = create.attr(Generation::V6_1, 0x1002).map(|a| a.kind);
        assert_eq!(kind, Some(Kind::EnumIn(&[(2, 2), (0, 0), (0, 0), (0, 0)])));
    }

    #[test]
    fn an_attribute_that_takes_any_object_says_so() {
        let query = method_by_name("DEVX_OBJ.QUERY").expect("DEVX_OBJ.QUERY");
        assert_eq!(query.attr(Generation::V6_1, 0x1000).map(|a| a.object), Some(0xffff));
    }
}
