//! A verbs ioctl as text: names instead of numbers, and what device commands say.

use super::Line;
use crate::{
    error::Errno,
    uverbs::{Attr, Kind},
};
use core::{ffi::c_void, fmt::Write};
use prm::{
    bits, opcode, status,
    uverbs::{self as names, attr, method, object, write},
};

/// Attributes of a method that carry a device command and its answer.
struct Mailboxes {
    input: u16,
    output: Option<u16>,
}

/// Which attributes of this method are mailboxes.
fn mailboxes(object: u16, method: u16) -> Option<Mailboxes> {
    let (input, output) = match (object, method) {
        (object::DEVX, method::DEVX_OTHER) => (attr::DEVX_OTHER_CMD_IN, Some(attr::DEVX_OTHER_CMD_OUT)),
        (object::DEVX_OBJ, method::DEVX_OBJ_CREATE) => {
            (attr::DEVX_OBJ_CREATE_CMD_IN, Some(attr::DEVX_OBJ_CREATE_CMD_OUT))
        }
        (object::DEVX_OBJ, method::DEVX_OBJ_MODIFY) => {
            (attr::DEVX_OBJ_MODIFY_CMD_IN, Some(attr::DEVX_OBJ_MODIFY_CMD_OUT))
        }
        (object::DEVX_OBJ, method::DEVX_OBJ_QUERY) => {
            (attr::DEVX_OBJ_QUERY_CMD_IN, Some(attr::DEVX_OBJ_QUERY_CMD_OUT))
        }
        (object::DEVX_OBJ, method::DEVX_OBJ_ASYNC_QUERY) => (attr::DEVX_OBJ_QUERY_CMD_IN, None),
        _ => return None,
    };
    Some(Mailboxes { input, output })
}

/// Writes the whole call.
pub fn line(l: &mut Line, object: u16, method: u16, attrs: &[Attr], result: Result<(), Errno>) {
    let object_name = names::object_name(object);
    let method_name = names::method_name(object, method);
    let _ = write!(l, "ioctl ");
    name(l, object_name, "", object);
    let _ = l.write_str(".");
    name(l, method_name, object_name.unwrap_or(""), method);
    let boxes = mailboxes(object, method);
    for a in attrs.iter().filter(|a| a.kind() != Kind::Absent) {
        let _ = l.write_str(" ");
        let attr_name = method_name.and_then(|m| names::attr_name(m, a.id()));
        name(l, attr_name, method_name.unwrap_or(""), a.id());
        let _ = l.write_str(if a.is_optional() { "?" } else { "" });
        match (a.kind(), &boxes) {
            (Kind::Input, Some(b)) if b.input == a.id() => command(l, a),
            (Kind::Output, Some(b)) if b.output == Some(a.id()) => answer(l, a, result),
            (Kind::Input, _) if object == object::DEVICE && a.id() == attr::WRITE_CMD && a.len() == 8 => {
                write_command(l, a)
            }
            _ => value(l, a, result),
        }
    }
}

/// A name without what it has in common with `owner`, word by word; a number that has no name.
fn name(l: &mut Line, name: Option<&str>, owner: &str, number: u16) {
    let _ = match name {
        Some(n) => l.write_str(without_prefix(n, owner)),
        None => write!(l, "{number:#x}"),
    };
}

fn without_prefix<'a>(name: &'a str, owner: &str) -> &'a str {
    let mut rest = name;
    for word in owner.split('_') {
        match rest.strip_prefix(word).and_then(|r| r.strip_prefix('_')) {
            Some(r) => rest = r,
            None => break,
        }
    }
    rest
}

/// A plain attribute.
fn value(l: &mut Line, a: &Attr, result: Result<(), Errno>) {
    let _ = match a.kind() {
        Kind::File => write!(l, "=fd {}", a.data() as i32),
        Kind::Object => write!(l, "={:#x}", a.data()),
        Kind::Input if a.len() <= 8 => write!(l, "={:#x}", a.data()),
        Kind::Output if a.len() <= 8 && result.is_ok() => {
            let mut number = [0u8; 8];
            match number.get_mut(..a.len()).is_some_and(|n| peek(a.data(), n)) {
                true => write!(l, "={:#x}", u64::from_le_bytes(number)),
                false => Ok(()),
            }
        }
        _ => write!(l, "[{}]", a.len()),
    };
}

/// A command of [`write`], by name.
fn write_command(l: &mut Line, a: &Attr) {
    let number = a.data() as u32;
    let _ = l.write_str(if number & write::EXTENDED != 0 { "=EX_" } else { "=" });
    let number = (number & !write::EXTENDED) as u16;
    name(l, names::write_name(number), "", number);
}

/// A device command: opcode and what stands beside it.
fn command(l: &mut Line, a: &Attr) {
    let _ = write!(l, "[{}]", a.len());
    let mut head = [0u8; 12];
    if a.len() < head.len() || !peek(a.data(), &mut head) {
        return;
    }
    let op = bits::be16(&head, 0);
    let _ = write!(l, "={}({op:#x})", opcode::name(op).unwrap_or("?"));
    // For general objects these are the type and the number.
    let (modifier, operand) = (bits::be16(&head, 6), bits::be32(&head, 8));
    if modifier != 0 {
        let _ = write!(l, "/{modifier:#x}");
    }
    if operand != 0 {
        let _ = write!(l, "/{operand:#x}");
    }
}

/// The device's answer: status and syndrome, if it gave one.
fn answer(l: &mut Line, a: &Attr, result: Result<(), Errno>) {
    let _ = write!(l, "[{}]", a.len());
    let mut head = [0u8; 8];
    let answered = matches!(result, Ok(()) | Err(Errno::EREMOTEIO));
    if !answered || a.len() < head.len() || !peek(a.data(), &mut head) {
        return;
    }
    let number = head[0];
    let text = status::name(number).unwrap_or("unknown status");
    let _ = write!(l, "={text}");
    if number != 0 {
        let _ = write!(l, "({number:#x}) syndrome={:#x}", bits::be32(&head, 4));
    }
}

/// Reads memory of this process that may not be there: an application's buffer.
fn peek(address: u64, to: &mut [u8]) -> bool {
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: to.len() };
    // SAFETY: the kernel checks both ranges; ours is writable for its length.
    let n = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    n == to.len() as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(object: u16, method: u16, attrs: &[Attr], result: Result<(), Errno>) -> String {
        let mut l = Line::new();
        line(&mut l, object, method, attrs, result);
        l.text().to_owned()
    }

    #[test]
    fn commands_are_told_by_name() {
        let mut input = [0u8; 16];
        input[..12].copy_from_slice(&[0x0a, 0x00, 0, 0, 0, 0, 0, 0x26, 0, 0, 0, 7]);
        let mut output = [0u8; 16];
        output[..8].copy_from_slice(&[3, 0, 0, 0, 0, 0x12, 0x34, 0x56]);
        let attrs = [
            Attr::new_object(attr::DEVX_OBJ_CREATE_HANDLE),
            Attr::input(attr::DEVX_OBJ_CREATE_CMD_IN, &input),
            Attr::output(attr::DEVX_OBJ_CREATE_CMD_OUT, &mut output),
        ];
        let refused = text(0x1001, 0x1000, &attrs, Err(Errno::EREMOTEIO));
        let expected = "mlx5: ioctl DEVX_OBJ.CREATE HANDLE=0x0 CMD_IN[16]=CREATE_GENERAL_OBJECT(0xa00)/0x26/0x7 \
                        CMD_OUT[16]=bad parameter(0x3) syndrome=0x123456";
        assert_eq!(refused, expected);
        let not_asked = text(0x1001, 0x1000, &attrs, Err(Errno::EINVAL));
        assert!(not_asked.ends_with("CMD_OUT[16]"), "{not_asked}");
    }

    #[test]
    fn attributes_show_what_they_carry() {
        let mut eqn = 0x15u32;
        let mut attrs = [
            Attr::u32(attr::DEVX_QUERY_EQN_USER_VEC, 2),
            Attr::absent(),
            Attr::number(attr::DEVX_QUERY_EQN_DEV_EQN, &mut eqn),
        ];
        assert_eq!(
            text(0x1000, 0x1002, &attrs, Ok(())),
            "mlx5: ioctl DEVX.QUERY_EQN USER_VEC=0x2 DEV_EQN=0x15"
        );
        attrs[1] = Attr::fd(0x1004, 5).optional();
        let shown = text(0x1000, 0x1002, &attrs, Err(Errno::EINVAL));
        assert_eq!(shown, "mlx5: ioctl DEVX.QUERY_EQN USER_VEC=0x2 0x1004?=fd 5 DEV_EQN[4]");
    }

    #[test]
    fn memory_that_is_not_there_is_left_alone() {
        let mut attrs = [Attr::output_raw(attr::DEVX_QUERY_EQN_DEV_EQN, 16 as *mut u8, 4)];
        assert_eq!(text(0x1000, 0x1002, &attrs, Ok(())), "mlx5: ioctl DEVX.QUERY_EQN DEV_EQN");
        // SAFETY: longer than what is copied.
        attrs[0] = unsafe { Attr::input_raw(attr::DEVX_OTHER_CMD_IN, 16 as *const u8, 64) };
        assert_eq!(text(0x1000, 0x1000, &attrs, Ok(())), "mlx5: ioctl DEVX.OTHER CMD_IN[64]");
    }
}
