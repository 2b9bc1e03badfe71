//! What each method does: builds the device commands that mlx5_ib would, and keeps the
//! objects. One module a family.

pub mod cq;
pub mod device;
pub mod devx;
pub mod devx_event;
pub mod devx_obj;
pub mod dm;
pub mod dmabuf;
pub mod flow;
pub mod flow_spec;
pub mod flow_table;
pub mod flow_write;
pub mod gid;
pub mod mmap;
pub mod mr;
pub mod opcodes;
pub mod pd;
pub mod pin;
pub mod port;
pub mod qp;
pub mod query_device;
pub mod read;
pub mod srq;
pub mod uar;
pub mod umem;
pub mod wq;

use super::cx::{Cx, Reported};
use super::device::Device;
use super::file::OpenFile;
use super::objects::{Object, types};
use super::spec::{EXTENDED, MethodSpec};
use super::write_abi;
use nix::errno::Errno;

/// The name that fault rules know a call by: its method, or the write command in it.
pub fn call_name(cx: &Cx<'_>, method: &MethodSpec) -> String {
    if method.object == types::DEVICE
        && method.method == 0
        && let Ok(word) = cx.u64(2)
        && let Some(command) = super::spec::write_command(word as u32)
    {
        return format!("WRITE.{}", command.name);
    }
    format!("{}.{}", method.object_name, method.name)
}

/// Run a method whose attributes have been accepted; an object it destroys is gone already.
pub fn run(cx: &mut Cx<'_>, method: &'static MethodSpec) -> Result<(), Errno> {
    use types::*;
    match (method.object, method.method) {
        (DEVICE, 0) => write_abi::invoke(cx),
        (DEVICE, 1) => device::info_handles(cx),
        (DEVICE, 2) => device::query_port(cx),
        (DEVICE, 3) => device::get_context(cx),
        (DEVICE, 4) => device::query_context(cx),
        (DEVICE, 5) => gid::query_table(cx),
        (DEVICE, 6) => gid::query_entry(cx),
        (DEVICE, 7) => device::query_port_speed(cx),
        (DEVICE, 0x1000) => device::mlx5_query_port(cx),
        (DEVICE, 0x1001) => device::data_direct_path(cx),
        (PD, 0x1000) => pd::query(cx),
        (ASYNC_EVENT, 0) => device::async_event_alloc(cx),
        (CQ, 0) => cq::create(cx),
        (CQ, 1) => cq::destroyed(cx),
        (QP, 0) => qp::create(cx),
        (QP, 1) | (SRQ, 1) | (WQ, 1) => reported_async(cx),
        (SRQ, 0) => srq::create(cx),
        (WQ, 0) => wq::create(cx),
        (MR, 0) => mr::register_dm(cx),
        (MR, 2) => mr::advise(cx),
        (MR, 3) => mr::query(cx),
        (MR, 4) => mr::register_dmabuf(cx),
        (MR, 5) => mr::register_method(cx),
        (DM, 0) => dm::alloc(cx),
        (DM, 0x1000) => dm::map_op(cx),
        (DM, 0x1001) => dm::query(cx),
        (DMABUF, 0) => dmabuf::alloc(cx),
        (COUNTERS, 0) => flow::create_counters(cx),
        (COUNTERS, 2) => flow::read_counters(cx),
        (FLOW, 0x1000) => flow::create(cx),
        (FLOW_MATCHER, 0x1000) => flow::create_matcher(cx),
        (FLOW_ACTION, 0x1000) => flow::create_modify_header(cx),
        (FLOW_ACTION, 0x1001) => flow::create_reformat(cx),
        (STEERING_ANCHOR, 0x1000) => flow::create_anchor(cx),
        (DEVX, 0x1000) => devx::other(cx),
        (DEVX, 0x1001) => uar::query(cx),
        (DEVX, 0x1002) => devx::query_eqn(cx),
        (DEVX, 0x1003) => devx_event::subscribe(cx),
        (DEVX_OBJ, 0x1000) => devx_obj::create(cx),
        (DEVX_OBJ, 0x1002) => devx_obj::modify(cx),
        (DEVX_OBJ, 0x1003) => devx_obj::query(cx),
        (DEVX_OBJ, 0x1004) => devx_obj::async_query(cx),
        (DEVX_UMEM, 0x1000) => umem::register(cx),
        (DEVX_ASYNC_CMD_FD, 0x1000) => devx_event::command_fd(cx),
        (DEVX_ASYNC_EVENT_FD, 0x1000) => devx_event::event_fd(cx),
        (UAR, 0x1000) => uar::alloc(cx),
        (VAR, 0x1000) => uar::var_alloc(cx),
        (PP, 0x1000) => uar::pp_alloc(cx),
        // nothing is left to do for what only destroys
        _ if cx.bundle.as_ref().is_some_and(|b| b.destroyed.is_some()) => Ok(()),
        _ => Err(Errno::EOPNOTSUPP),
    }
}

/// Objects that the device does not offer are hidden as in a kernel without them.
pub fn is_hidden(dev: &mut Device, object: u16) -> bool {
    match object {
        types::VAR => !uar::var_supported(dev),
        types::PP => !uar::pp_supported(dev),
        types::DM => !dm::is_supported(dev),
        types::XRCD => dev.cap(0x23c, 1) == 0,
        types::MW => dev.cap(0x231, 1) == 0,
        types::WQ | types::RWQ_IND_TBL => !dev.is_ethernet(),
        types::DEVX
        | types::DEVX_OBJ
        | types::DEVX_UMEM
        | types::DEVX_ASYNC_CMD_FD
        | types::DEVX_ASYNC_EVENT_FD => dev.cap(0x463, 5) == 0,
        // steering tags of the PCI bus are not offered
        types::DMAH => true,
        types::STEERING_ANCHOR => dev.cap(0x10, 1) == 0,
        _ => false,
    }
}

/// The response of destroying what only has asynchronous events.
fn reported_async(cx: &mut Cx<'_>) -> Result<(), Errno> {
    cx.output(1, &cx.reported.asynchronous.to_ne_bytes())
}

/// Run a write command.
pub fn run_write(cx: &mut Cx<'_>, word: u32) -> Result<(), Errno> {
    match word & (EXTENDED | 0xff) {
        0 => device::get_context_write(cx),
        1 => query_device::plain(cx),
        0x8000_0001 => query_device::extended(cx),
        2 => device::query_port_write(cx),
        3 => pd::alloc(cx),
        4 => destroy_write(cx, 0, types::PD),
        5 => qp::create_ah(cx),
        8 => destroy_write(cx, 0, types::AH),
        9 => mr::register(cx),
        11 => mr::reregister(cx),
        13 => destroy_write(cx, 0, types::MR),
        14 => mr::alloc_mw(cx),
        16 => destroy_write(cx, 0, types::MW),
        17 => device::create_comp_channel(cx),
        18 => cq::create_write(cx),
        0x8000_0012 => cq::create_write_ex(cx),
        19 => cq::resize(cx),
        20 => cq::destroy_write(cx),
        0x8000_0039 => cq::modify(cx),
        24 => qp::create_write(cx),
        0x8000_0018 => qp::create_write_ex(cx),
        25 => qp::query(cx),
        26 => qp::modify_write(cx),
        0x8000_001a => qp::modify_write_ex(cx),
        27 => qp::destroy_write(cx),
        30 => qp::attach_multicast(cx, true),
        31 => qp::attach_multicast(cx, false),
        32 => srq::create_write(cx),
        33 => srq::modify(cx),
        34 => srq::query(cx),
        35 => srq::destroy_write(cx),
        37 => srq::open_xrcd(cx),
        38 => destroy_write(cx, 0, types::XRCD),
        39 => srq::create_xsrq_write(cx),
        40 => qp::open(cx),
        0x8000_0032 => flow_write::create(cx),
        0x8000_0033 => destroy_write(cx, 4, types::FLOW),
        0x8000_0034 => wq::create_write(cx),
        0x8000_0035 => wq::modify(cx),
        0x8000_0036 => wq::destroy_write(cx),
        0x8000_0037 => wq::create_table(cx),
        0x8000_0038 => destroy_write(cx, 4, types::RWQ_IND_TBL),
        _ => Err(Errno::EOPNOTSUPP),
    }
}

/// A write command that destroys the object whose handle is at byte `at` of its request.
fn destroy_write(cx: &mut Cx<'_>, at: usize, object_type: u16) -> Result<(), Errno> {
    let handle = super::bytes::In(cx.core_in()).u32(at);
    cx.reported = destroy_checked(cx, handle, object_type)?;
    Ok(())
}

/// Destroy an object of a known type.
pub fn destroy_checked(cx: &mut Cx<'_>, handle: u32, object_type: u16) -> Result<Reported, Errno> {
    cx.file.handles.lookup(handle as i64, object_type)?;
    destroy(cx.dev, cx.file, handle)
}

/// Destroy an object: EBUSY while others use it, or the device's refusal. What its events
/// had reported goes back to the caller.
pub fn destroy(dev: &mut Device, file: &mut OpenFile, handle: u32) -> Result<Reported, Errno> {
    if file.handles.users(handle) > 0 {
        return Err(Errno::EBUSY);
    }
    destroy_firmware(dev, file, handle)?;
    let Some(object) = file.handles.remove(handle) else { return Ok(Reported::default()) };
    file.subscriptions.retain(|s| s.object.is_none_or(|(h, _)| h != handle));
    Ok(take_back(file, &object))
}

fn destroy_firmware(dev: &mut Device, file: &mut OpenFile, handle: u32) -> Result<(), Errno> {
    // the object stays in the table until the device has let go of it
    let Some(object) = file.handles.get(handle) else { return Ok(()) };
    match object {
        Object::Pd(o) => pd::destroy(dev, o),
        Object::Mr(o) => mr::destroy(dev, o),
        Object::Mw(o) => mr::destroy_mw(dev, o),
        Object::Cq(o) => cq::destroy(dev, o),
        Object::Qp(o) => qp::destroy(dev, o),
        Object::Srq(o) => srq::destroy(dev, o),
        Object::Xrcd(o) => srq::destroy_xrcd(dev, o),
        Object::Wq(o) => wq::destroy(dev, o),
        Object::IndTable(o) => wq::destroy_table(dev, o),
        Object::Devx(o) => devx_obj::destroy(dev, o),
        Object::Umem(o) => umem::destroy(dev, o),
        Object::Matcher(o) => flow::destroy_matcher(dev, o),
        Object::Flow(o) => flow::destroy(dev, o),
        Object::FlowAction(o) => flow::destroy_action(dev, o),
        Object::Counters(o) => flow::destroy_counters(dev, o),
        Object::Anchor(o) => flow::destroy_anchor(dev, o),
        Object::Ah => Ok(()),
        Object::Dm(o) => {
            let dm = *o;
            dm::destroy(dev, file, &dm)
        }
        Object::Uar(o) => {
            let uar = *o;
            uar::destroy(dev, file, &uar);
            Ok(())
        }
        Object::Var(o) => {
            let var = *o;
            uar::var_destroy(dev, file, &var);
            Ok(())
        }
        Object::Pp(o) => {
            uar::pp_destroy(dev, o);
            Ok(())
        }
    }
}

/// Take back the unread events of a destroyed object; how many were read.
fn take_back(file: &mut OpenFile, object: &Object) -> Reported {
    let (user_handle, completion, asynchronous, channel, async_fd) = match object {
        Object::Cq(o) => (o.user_handle, o.completion_events, o.async_events, o.channel, o.async_fd),
        Object::Qp(o) => (o.user_handle, 0, o.async_events, None, o.async_fd),
        Object::Srq(o) => (o.user_handle, 0, o.async_events, None, o.async_fd),
        Object::Wq(o) => (o.user_handle, 0, o.async_events, None, o.async_fd),
        _ => return Reported::default(),
    };
    let mut unread = |key: Option<super::client::FileKey>, sent: u32| match (sent, key) {
        (0, _) | (_, None) => 0,
        (_, Some(key)) => file
            .event_fds
            .get_mut(&key)
            .map_or(0, |e| e.take_back(|r| super::bytes::In(r).u64(0) != user_handle)),
    };
    let completion_unread = unread(channel, completion);
    let async_unread = unread(async_fd.or(file.async_fd), asynchronous);
    Reported {
        completion: completion.saturating_sub(completion_unread),
        asynchronous: asynchronous.saturating_sub(async_unread),
    }
}

/// Destroy everything of a file, newest first, in passes: what is still used waits for its
/// users. What the device refuses for good goes away without it.
pub fn clean_up(dev: &mut Device, file: &mut OpenFile) {
    if file.disassociated {
        return;
    }
    loop {
        let before = file.handles.len();
        for handle in file.handles.newest_first() {
            let _ = destroy(dev, file, handle);
        }
        if file.handles.len() == before || file.handles.is_empty() {
            break;
        }
    }
    for handle in file.handles.newest_first() {
        let _ = file.handles.remove(handle);
    }
    file.subscriptions.clear();
    file.event_fds.clear();
    for map in std::mem::take(&mut file.maps) {
        if let super::file::Mapped::Uar(number) = map.what {
            uar::free(dev, number);
        }
    }
    file.doorbells.clear();
    if let Some(context) = file.ucontext.take() {
        device::drop_context(dev, &context);
    }
}

/// The device goes away under a file: firmware objects are gone while their handles stay,
/// to be destroyed by their owner; event descriptors wake up.
pub fn disassociate(dev: &mut Device, file: &mut OpenFile) {
    for handle in file.handles.newest_first() {
        let _ = destroy_firmware(dev, file, handle);
    }
    file.subscriptions.clear();
    file.doorbells.clear();
    if let Some(context) = &file.ucontext {
        device::drop_context(dev, context);
    }
    for event in file.event_fds.values_mut() {
        event.hang_up();
    }
    file.disassociated = true;
}

/// Destroy a handle whose firmware object went with the device.
pub fn destroy_husk(file: &mut OpenFile, handle: u32) -> Result<Reported, Errno> {
    if file.handles.users(handle) > 0 {
        return Err(Errno::EBUSY);
    }
    let Some(object) = file.handles.remove(handle) else { return Ok(Reported::default()) };
    Ok(take_back(file, &object))
}
