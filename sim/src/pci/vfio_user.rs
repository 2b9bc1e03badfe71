//! The vfio-user protocol, server side: messages of one client about one function.
//!
//! Numbers and layouts are those of the protocol's specification, version 0.1: a message is
//! a 16-byte head (id, command, size, flags, error; all little endian) and a body, which for
//! most commands mirrors the structure of the VFIO ioctl of the same name.

use super::config_space;
use super::function::Function;
use super::guest::VECTORS;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

const HEAD: usize = 16;
/// Most data bytes of one access, announced to the client.
const MAX_TRANSFER: usize = 1 << 20;
/// Most bytes of a message body that are taken: the largest access and its head.
const MAX_BODY: usize = MAX_TRANSFER + 4096;
/// QEMU refuses a server that announces more descriptors a message.
const MAX_FDS: usize = 16;

const FLAG_REPLY: u32 = 1;
const FLAG_NO_REPLY: u32 = 1 << 4;
const FLAG_ERROR: u32 = 1 << 5;

const REGION_BAR0: u32 = 0;
const REGION_CONFIG: u32 = 7;
const REGIONS: u32 = 9;
const IRQ_MSIX: u32 = 2;
/// Error and unplug requests of the device to its machine: offered, as machines want
/// them, and never raised.
const IRQ_ERROR: u32 = 3;
const IRQ_REQUEST: u32 = 4;
const IRQS: u32 = 5;

const UNMAP_ALL: u32 = 1 << 1;
const IRQ_DATA_NONE: u32 = 1 << 0;
const IRQ_DATA_EVENTFD: u32 = 1 << 2;
const IRQ_ACTION_TRIGGER: u32 = 1 << 5;

/// Refusal of a message: the errno of its reply.
struct Refused(i32);

const INVALID: Refused = Refused(libc::EINVAL);

/// A client's byte stream: whole messages are cut out of what comes in. A driver's stores come
/// as floods of small messages, so as much as there is goes into one read.
pub struct Stream {
    socket: UnixStream,
    buffer: Vec<u8>,
    /// Where in `buffer` the first message starts that was not cut out yet.
    start: usize,
    /// Descriptors, and where in `buffer` the bytes end that they came with.
    fds: Vec<(usize, OwnedFd)>,
}

/// Bytes read at once.
const READ: usize = 1 << 16;

/// A message.
struct Message {
    head: [u8; HEAD],
    body: Vec<u8>,
    fds: Vec<OwnedFd>,
}

impl Stream {
    /// The stream of a client that has connected.
    pub fn new(socket: UnixStream) -> Stream {
        Stream { socket, buffer: Vec::new(), start: 0, fds: Vec::new() }
    }

    /// The descriptor to wait on.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Read what there is.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        for (end, _) in &mut self.fds {
            *end -= self.start;
        }
        self.start = 0;
        let old = self.buffer.len();
        self.buffer.resize(old + READ, 0);
        let room = self.buffer.get_mut(old..).unwrap_or_default();
        let mut iov = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
        let mut control = [0u64; 64];
        // SAFETY: msghdr is plain data for which all zeroes is a valid value.
        let mut msg: libc::msghdr = unsafe { std::mem::zeroed() };
        msg.msg_iov = &mut iov;
        msg.msg_iovlen = 1;
        msg.msg_control = control.as_mut_ptr().cast();
        msg.msg_controllen = size_of_val(&control);
        // SAFETY: the vector and the control buffer are ours and outlive the call.
        let n = unsafe { libc::recvmsg(self.socket.as_raw_fd(), &mut msg, libc::MSG_CMSG_CLOEXEC) };
        let error = io::Error::last_os_error();
        self.buffer.truncate(old + usize::try_from(n).unwrap_or(0));
        if n < 0 {
            return if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) };
        }
        let mut fds = Vec::new();
        collect_fds(&msg, &mut fds);
        let end = self.buffer.len();
        self.fds.extend(fds.into_iter().map(|fd| (end, fd)));
        if n == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Cut the next whole message out of the buffer.
    fn next(&mut self) -> io::Result<Option<Message>> {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let Some(head) = rest.get(..HEAD).and_then(|h| h.try_into().ok()) else { return Ok(None) };
        let head: [u8; HEAD] = head;
        let size = u32_at(&head, 4).unwrap_or(0) as usize;
        if !(HEAD..=HEAD + MAX_BODY).contains(&size) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let Some(body) = rest.get(HEAD..size) else { return Ok(None) };
        let body = body.to_vec();
        self.start += size;
        // a read ends behind the bytes that descriptors come with, so they belong to the
        // message in which that place lies
        let (mine, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.fds).into_iter().partition(|(end, _)| *end <= self.start);
        self.fds = later;
        Ok(Some(Message { head, body, fds: mine.into_iter().map(|(_, fd)| fd).collect() }))
    }
}

/// Take the descriptors out of a received control buffer.
fn collect_fds(msg: &libc::msghdr, fds: &mut Vec<OwnedFd>) {
    // SAFETY: the kernel filled the control buffer of `msg`, which is still alive; the CMSG
    // functions stay inside it, and each descriptor in it is new and now ours alone.
    unsafe {
        let mut c = libc::CMSG_FIRSTHDR(msg);
        while !c.is_null() {
            if (*c).cmsg_level == libc::SOL_SOCKET && (*c).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*c).cmsg_len.saturating_sub(libc::CMSG_LEN(0) as usize);
                let first = libc::CMSG_DATA(c).cast::<RawFd>();
                for k in 0..bytes / size_of::<RawFd>() {
                    fds.push(OwnedFd::from_raw_fd(first.add(k).read_unaligned()));
                }
            }
            c = libc::CMSG_NXTHDR(msg, c);
        }
    }
}

fn u16_at(body: &[u8], at: usize) -> Result<u16, Refused> {
    body.get(at..at + 2).and_then(|b| b.try_into().ok()).map(u16::from_le_bytes).ok_or(INVALID)
}

fn u32_at(body: &[u8], at: usize) -> Result<u32, Refused> {
    body.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or(INVALID)
}

fn u64_at(body: &[u8], at: usize) -> Result<u64, Refused> {
    body.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes).ok_or(INVALID)
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Receive what the client sent, carry each message out, and answer it unless the client wants
/// no answer. An error means that the client is gone or does not speak the protocol.
pub fn serve(stream: &mut Stream, function: &mut Function) -> io::Result<()> {
    stream.fill()?;
    while let Some(Message { head, body, fds }) = stream.next()? {
        let command = u16_at(&head, 2).unwrap_or(0);
        let (error, answer) = match carry_out(function, command, &body, fds) {
            Ok(answer) => (0, answer),
            Err(Refused(errno)) => {
                eprintln!("vfio-user: command {command} refused: errno {errno}");
                (errno as u32, Vec::new())
            }
        };
        if u32_at(&head, 8).unwrap_or(0) & FLAG_NO_REPLY != 0 {
            continue;
        }
        let mut reply = Vec::with_capacity(HEAD + answer.len());
        reply.extend_from_slice(head.get(..4).unwrap_or_default());
        let flags = FLAG_REPLY | if error != 0 { FLAG_ERROR } else { 0 };
        reply.extend_from_slice(&words(&[(HEAD + answer.len()) as u32, flags, error]));
        reply.extend_from_slice(&answer);
        stream.socket.write_all(&reply)?;
    }
    Ok(())
}

fn carry_out(f: &mut Function, command: u16, body: &[u8], fds: Vec<OwnedFd>) -> Result<Vec<u8>, Refused> {
    match command {
        1 => version(body),
        2 => dma_map(f, body, fds),
        3 => dma_unmap(f, body),
        // device information: resettable, PCI
        4 => Ok(words(&[16, 1 | 2, REGIONS, IRQS])),
        5 => region_info(f, body),
        7 => irq_info(f, body),
        8 => set_irqs(f, body, fds),
        9 => region_read(f, body),
        10 => region_write(f, body),
        13 => {
            f.reset();
            Ok(Vec::new())
        }
        _ => Err(Refused(libc::ENOTSUP)),
    }
}

fn version(body: &[u8]) -> Result<Vec<u8>, Refused> {
    let (major, minor) = (u16_at(body, 0)?, u16_at(body, 2)?);
    if major != 0 {
        return Err(INVALID);
    }
    let mut answer = Vec::new();
    answer.extend_from_slice(&major.to_le_bytes());
    answer.extend_from_slice(&minor.min(1).to_le_bytes());
    let text = format!(
        "{{\"capabilities\":{{\"max_msg_fds\":{MAX_FDS},\"max_data_xfer_size\":{MAX_TRANSFER},\
         \"pgsizes\":4096,\"max_dma_maps\":65535}}}}\0"
    );
    answer.extend_from_slice(text.as_bytes());
    Ok(answer)
}

fn dma_map(f: &mut Function, body: &[u8], mut fds: Vec<OwnedFd>) -> Result<Vec<u8>, Refused> {
    let (offset, iova, len) = (u64_at(body, 8)?, u64_at(body, 16)?, u64_at(body, 24)?);
    // memory without a descriptor (a firmware image) is not for devices: left unmapped
    if let Some(fd) = fds.pop() {
        let file = File::from(fd);
        f.guest
            .map(iova, len, offset, &file)
            .map_err(|e| Refused(e.raw_os_error().unwrap_or(libc::EINVAL)))?;
    }
    Ok(Vec::new())
}

fn dma_unmap(f: &mut Function, body: &[u8]) -> Result<Vec<u8>, Refused> {
    if u32_at(body, 4)? & UNMAP_ALL != 0 {
        f.guest.unmap_all();
    } else {
        f.guest.unmap(u64_at(body, 8)?, u64_at(body, 16)?);
    }
    Ok(body.to_vec())
}

fn region_size(f: &Function, region: u32) -> u64 {
    match region {
        REGION_BAR0 => f.bar_size(),
        REGION_CONFIG => config_space::SIZE as u64,
        _ => 0,
    }
}

fn region_info(f: &Function, body: &[u8]) -> Result<Vec<u8>, Refused> {
    let region = u32_at(body, 8)?;
    if region >= REGIONS {
        return Err(INVALID);
    }
    let size = region_size(f, region);
    // readable and writable, never mapped: each store must be seen
    let flags = if size > 0 { 1 | 2 } else { 0 };
    let mut answer = words(&[32, flags, region, 0]);
    answer.extend_from_slice(&size.to_le_bytes());
    answer.extend_from_slice(&0u64.to_le_bytes());
    Ok(answer)
}

fn vectors(f: &Function, index: u32) -> u32 {
    match index {
        IRQ_MSIX if f.has_msix() => VECTORS,
        IRQ_ERROR | IRQ_REQUEST => 1,
        _ => 0,
    }
}

fn irq_info(f: &Function, body: &[u8]) -> Result<Vec<u8>, Refused> {
    let index = u32_at(body, 8)?;
    if index >= IRQS {
        return Err(INVALID);
    }
    // signalled through event descriptors
    Ok(words(&[16, 1, index, vectors(f, index)]))
}

fn set_irqs(f: &mut Function, body: &[u8], fds: Vec<OwnedFd>) -> Result<Vec<u8>, Refused> {
    let (flags, index) = (u32_at(body, 4)?, u32_at(body, 8)?);
    let (start, count) = (u32_at(body, 12)?, u32_at(body, 16)?);
    let limit = vectors(f, index);
    if start.checked_add(count).is_none_or(|end| end > limit) {
        // a function without vectors may still be told to switch them all off
        return if count == 0 { Ok(Vec::new()) } else { Err(INVALID) };
    }
    if flags & IRQ_ACTION_TRIGGER == 0 || index != IRQ_MSIX {
        // masks live in the virtual machine
        return Ok(Vec::new());
    }
    if flags & IRQ_DATA_EVENTFD != 0 {
        let mut fds = fds.into_iter();
        for vector in start..start + count {
            f.guest.set_vector(vector, fds.next());
        }
    } else if flags & IRQ_DATA_NONE != 0 && count == 0 {
        f.guest.clear_vectors();
    }
    Ok(Vec::new())
}

/// Offset, region and length of an access that lies inside its region.
fn access(f: &Function, body: &[u8]) -> Result<(u64, u32, usize), Refused> {
    let (offset, region, count) = (u64_at(body, 0)?, u32_at(body, 8)?, u32_at(body, 12)? as usize);
    let end = offset.checked_add(count as u64).ok_or(INVALID)?;
    if count > MAX_TRANSFER || end > region_size(f, region) {
        return Err(INVALID);
    }
    Ok((offset, region, count))
}

fn region_read(f: &mut Function, body: &[u8]) -> Result<Vec<u8>, Refused> {
    let (offset, region, count) = access(f, body)?;
    let mut data = vec![0u8; count];
    if region == REGION_CONFIG {
        f.config_read(offset, &mut data);
    } else {
        f.bar_read(offset, &mut data);
    }
    let mut answer = body.get(..16).ok_or(INVALID)?.to_vec();
    answer.extend_from_slice(&data);
    Ok(answer)
}

fn region_write(f: &mut Function, body: &[u8]) -> Result<Vec<u8>, Refused> {
    let (offset, region, count) = access(f, body)?;
    let data = body.get(16..16 + count).ok_or(INVALID)?;
    if region == REGION_CONFIG {
        f.config_write(offset, data);
    } else {
        f.bar_write(offset, data);
    }
    Ok(body.get(..16).ok_or(INVALID)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Config;
    use crate::pci::Kind;

    fn message(id: u16, command: u16, flags: u32, body: &[u8]) -> Vec<u8> {
        let mut m = Vec::new();
        m.extend_from_slice(&id.to_le_bytes());
        m.extend_from_slice(&command.to_le_bytes());
        m.extend_from_slice(&words(&[(HEAD + body.len()) as u32, flags, 0]));
        m.extend_from_slice(body);
        m
    }

    fn access(offset: u64, region: u32, data: &[u8], count: u32) -> Vec<u8> {
        let mut b = offset.to_le_bytes().to_vec();
        b.extend_from_slice(&words(&[region, count]));
        b.extend_from_slice(data);
        b
    }

    struct Client {
        socket: UnixStream,
        stream: Stream,
        function: Function,
    }

    impl Client {
        fn new() -> Client {
            let (socket, served) = UnixStream::pair().unwrap();
            let function = Function::new(Kind::Card(Config::default()));
            Client { socket, stream: Stream::new(served), function }
        }
        fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.socket.write_all(bytes).unwrap();
            serve(&mut self.stream, &mut self.function)
        }
        /// Id, error and body of the next reply.
        fn reply(&mut self) -> (u16, u32, Vec<u8>) {
            use std::io::Read;
            let mut head = [0; HEAD];
            self.socket.read_exact(&mut head).unwrap();
            let at = |k| u32_at(&head, k).unwrap_or(0);
            let mut body = vec![0; at(4) as usize - HEAD];
            self.socket.read_exact(&mut body).unwrap();
            (u16_at(&head, 0).unwrap_or(0), at(12), body)
        }
    }

    #[test]
    fn messages_that_come_together_or_in_pieces_are_taken_one_by_one() {
        let mut c = Client::new();
        let write = message(1, 10, FLAG_NO_REPLY, &access(4, REGION_CONFIG, &[6, 0], 2));
        let read = message(2, 9, 0, &access(4, REGION_CONFIG, &[], 2));
        let mut both = write;
        both.extend_from_slice(&read);
        both.extend_from_slice(&read[..20]);
        c.send(&both).unwrap();
        let (id, error, body) = c.reply();
        assert_eq!((id, error, &body[16..]), (2, 0, &[6, 0][..]));
        c.send(&read[20..]).unwrap();
        assert_eq!(c.reply().2[16..], [6, 0]);
    }

    #[test]
    fn accesses_outside_a_region_are_refused() {
        let mut c = Client::new();
        for (offset, region, count) in [
            (32 << 20, 0, 4),
            ((32 << 20) - 2, 0, 4),
            (u64::MAX, 0, 4),
            (0, 3, 4),
            (4095, 7, 2),
            (0, 0, 1 << 21),
        ] {
            c.send(&message(5, 9, 0, &access(offset, region, &[], count))).unwrap();
            assert_eq!(c.reply(), (5, libc::EINVAL as u32, vec![]), "{offset:#x} {region}");
        }
        // a write shorter than it says
        c.send(&message(6, 10, 0, &access(0x10, 0, &[0; 2], 4))).unwrap();
        assert_eq!(c.reply().1, libc::EINVAL as u32);
        c.send(&message(7, 99, 0, &[])).unwrap();
        assert_eq!(c.reply().1, libc::ENOTSUP as u32);
    }

    #[test]
    fn a_size_that_cannot_be_ends_the_connection() {
        for size in [0u32, 15, u32::MAX] {
            let mut c = Client::new();
            let mut m = message(1, 9, 0, &[]);
            m[4..8].copy_from_slice(&size.to_le_bytes());
            assert_eq!(c.send(&m).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn every_vector_and_no_other_can_be_set() {
        let mut c = Client::new();
        let set = |start, count| {
            message(1, 8, 0, &words(&[20, IRQ_ACTION_TRIGGER | IRQ_DATA_EVENTFD, 2, start, count]))
        };
        for (start, count, error) in
            [(0, VECTORS, 0), (VECTORS - 1, 1, 0), (VECTORS, 1, libc::EINVAL), (u32::MAX, 2, libc::EINVAL)]
        {
            c.send(&set(start, count)).unwrap();
            assert_eq!(c.reply().1, error as u32, "{start} {count}");
        }
    }
}
