//! Flow rules of the kernel's steering, and counters.

use super::super::cx::Cx;
use super::super::device::Device;
use nix::errno::Errno;

/// Counters.
#[derive(Debug)]
pub struct Counters {
    /// Number.
    pub number: u32,
}

/// Matcher.
#[derive(Debug)]
pub struct Matcher {
    /// Number.
    pub number: u32,
}

/// Flow.
#[derive(Debug)]
pub struct Flow {
    /// Number.
    pub number: u32,
}

/// FlowAction.
#[derive(Debug)]
pub struct FlowAction {
    /// Number.
    pub number: u32,
}

/// Anchor.
#[derive(Debug)]
pub struct Anchor {
    /// Number.
    pub number: u32,
}

/// Not offered yet.
pub fn create_counters(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn read_counters(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_matcher(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_modify_header(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_reformat(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_anchor(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Not offered yet.
pub fn create_write(_cx: &mut Cx<'_>) -> Result<(), Errno> {
    Err(Errno::EOPNOTSUPP)
}

/// Nothing to give back.
pub fn destroy_matcher(_dev: &mut Device, _o: &Matcher) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy(_dev: &mut Device, _o: &Flow) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_action(_dev: &mut Device, _o: &FlowAction) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_counters(_dev: &mut Device, _o: &Counters) -> Result<(), Errno> {
    Ok(())
}

/// Nothing to give back.
pub fn destroy_anchor(_dev: &mut Device, _o: &Anchor) -> Result<(), Errno> {
    Ok(())
}
