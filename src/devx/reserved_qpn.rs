//! Reserved QP numbers.

/// Blocks of reserved QP numbers of a context.
#[derive(Default)]
pub struct ReservedQpns {}
