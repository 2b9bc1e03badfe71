//! The older commands: by write(2) on the device file, or inside INVOKE_WRITE.

use super::bytes::In;
use super::client::Client;
use super::cx::{Cx, Reported, UHW_IN, UHW_OUT, Window, WriteCall};
use super::device::Device;
use super::file::OpenFile;
use super::spec::{EXTENDED, Generation, WriteSpec, write_command};
use nix::errno::Errno;

const CORE_IN: u16 = 0;
const CORE_OUT: u16 = 1;
const WRITE_CMD: u16 = 2;

/// The declaration of a command word.
fn find(word: u32) -> Result<&'static WriteSpec, Errno> {
    if word & !(EXTENDED | 0xff) != 0 {
        return Err(Errno::EINVAL);
    }
    write_command(word).ok_or(Errno::EOPNOTSUPP)
}

/// DEVICE.INVOKE_WRITE.
pub fn invoke(cx: &mut Cx<'_>) -> Result<(), Errno> {
    let word = cx.u64(WRITE_CMD)?;
    let spec = find(u32::try_from(word).map_err(|_| Errno::EINVAL)?)?;
    let core_in = if cx.has(CORE_IN) { cx.bytes(CORE_IN)? } else { Vec::new() };
    if core_in.len() < spec.request as usize || cx.len(CORE_OUT) < spec.response as usize {
        return Err(Errno::ENOSPC);
    }
    let uhw_in = if cx.has(UHW_IN) { cx.bytes(UHW_IN)? } else { Vec::new() };
    cx.write = Some(WriteCall {
        spec,
        core_in,
        uhw_in,
        core_out: window(cx, CORE_OUT, true),
        uhw_out: window(cx, UHW_OUT, false),
    });
    super::handlers::run_write(cx, word as u32)
}

fn window(cx: &Cx<'_>, attr: u16, zero_fill: bool) -> Window {
    let addr = cx.bundle.as_ref().and_then(|b| b.find(attr)).map_or(0, |g| g.wire.data);
    Window { addr, len: cx.len(attr), attr: Some(attr), zero_fill }
}

/// One command by write(2): `bytes` is all that was written.
pub fn serve(
    dev: &mut Device,
    file: &mut OpenFile,
    client: &mut dyn Client,
    generation: Generation,
    bytes: &[u8],
) -> Result<(), Errno> {
    let header = In(bytes);
    let word = header.u32(0);
    if bytes.len() < 8 {
        return Err(Errno::EINVAL);
    }
    let spec = find(word)?;
    if file.disassociated {
        return Err(Errno::EIO);
    }
    let call = if spec.extended { extended(spec, bytes)? } else { plain(spec, bytes)? };
    if let Some(errno) = dev.faults.call(&format!("WRITE.{}", spec.name)) {
        return Err(errno);
    }
    let mut cx = Cx {
        dev,
        file,
        client,
        generation,
        bundle: None,
        write: Some(call),
        reported: Reported::default(),
        pending: None,
        live: None,
    };
    let result = super::handlers::run_write(&mut cx, word);
    super::world::finish(&mut cx, result)
}

/// Header: command, input and output length in 4-byte words. The request begins with the
/// address of the response, where there is one; driver data follows both.
fn plain(spec: &'static WriteSpec, bytes: &[u8]) -> Result<WriteCall, Errno> {
    let header = In(bytes);
    let (in_len, out_len) = (header.u16(4) as usize * 4, header.u16(6) as usize * 4);
    if in_len != bytes.len() {
        return Err(Errno::EINVAL);
    }
    let request = bytes.get(8..).unwrap_or(&[]);
    let (need, give) = (spec.request as usize, spec.response as usize);
    if request.len() < need || out_len < give {
        return Err(Errno::ENOSPC);
    }
    let (core_in, uhw_in) = request.split_at(need);
    let response = if give > 0 { In(core_in).u64(0) } else { 0 };
    let uhw_len = if spec.udata { out_len - give } else { 0 };
    Ok(WriteCall {
        spec,
        core_in: core_in.to_vec(),
        uhw_in: if spec.udata { uhw_in.to_vec() } else { Vec::new() },
        core_out: Window { addr: response, len: give, attr: None, zero_fill: false },
        uhw_out: Window { addr: response + give as u64, len: uhw_len, attr: None, zero_fill: false },
    })
}

/// A second header: response address, driver lengths; all lengths in 8-byte words.
fn extended(spec: &'static WriteSpec, bytes: &[u8]) -> Result<WriteCall, Errno> {
    let header = In(bytes);
    let (core, out) = (header.u16(4) as usize * 8, header.u16(6) as usize * 8);
    let response = header.u64(8);
    let (driver, driver_out) = (header.u16(16) as usize * 8, header.u16(18) as usize * 8);
    if bytes.len() != 24 + core + driver || header.u32(20) != 0 {
        return Err(Errno::EINVAL);
    }
    if core < spec.request as usize || out < spec.response as usize {
        return Err(Errno::ENOSPC);
    }
    if (response == 0) != (out + driver_out == 0) {
        return Err(Errno::EINVAL);
    }
    let request = bytes.get(24..).unwrap_or(&[]);
    let (core_in, uhw_in) = request.split_at(core.min(request.len()));
    Ok(WriteCall {
        spec,
        core_in: core_in.to_vec(),
        uhw_in: uhw_in.to_vec(),
        core_out: Window { addr: response, len: out, attr: None, zero_fill: true },
        uhw_out: Window { addr: response + out as u64, len: driver_out, attr: None, zero_fill: false },
    })
}
