//! The ioctl's wire form, and the rules by which the kernel accepts a call's attributes.
//!
//! The order in which a refusal appears is part of the interface (`spec/devx.md`, 1.2):
//! attributes are looked at in the order sent; what a method itself finds comes after all
//! of them.

use super::client::Client;
use super::file::OpenFile;
use super::objects::ANY_OBJECT;
use super::spec::{Access, AttrSpec, Generation, Kind, MethodSpec};
use nix::errno::Errno;

/// Number of the verbs ioctl, `_IOWR(0x1b, 1, 24 bytes)`.
pub const VERBS_IOCTL: u32 = 0xc018_1b01;
/// Bytes of a call's header.
pub const HEADER_BYTES: u64 = 24;
/// Bytes of one attribute.
pub const ATTR_BYTES: u64 = 16;
/// The longest call: one page.
const MAX_BYTES: u16 = 4096;
/// Driver number of mlx5.
const DRIVER_MLX5: u32 = 1;
/// Attribute flag: the kernel must know this attribute.
pub const MANDATORY: u16 = 1;
/// Attribute flag: the kernel has written this output.
const VALID_OUTPUT: u16 = 2;

/// A call's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header and all attributes.
    pub length: u16,
    /// Object type.
    pub object: u16,
    /// Method.
    pub method: u16,
    /// Number of attributes.
    pub num_attrs: u16,
    /// Driver number.
    pub driver: u32,
    /// Whether a reserved field is set.
    pub reserved_set: bool,
}

/// One attribute as the client sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireAttr {
    /// Attribute id.
    pub id: u16,
    /// Length in bytes.
    pub len: u16,
    /// Flags.
    pub flags: u16,
    /// Choice of an enum attribute in the low byte, else zero.
    pub extra: u16,
    /// The value, a handle, a descriptor, or an address.
    pub data: u64,
}

/// A call as read from the client.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Address of the header.
    pub base: u64,
    /// The header.
    pub header: Header,
    /// The attributes.
    pub attrs: Vec<WireAttr>,
}

fn u16_at(b: &[u8], at: usize) -> u16 {
    b.get(at..at + 2).and_then(|s| s.try_into().ok()).map_or(0, u16::from_ne_bytes)
}

fn u32_at(b: &[u8], at: usize) -> u32 {
    b.get(at..at + 4).and_then(|s| s.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

fn u64_at(b: &[u8], at: usize) -> u64 {
    b.get(at..at + 8).and_then(|s| s.try_into().ok()).map_or(0, u64::from_ne_bytes)
}

impl Wire {
    /// Read a call; EFAULT, or EINVAL for a header whose length is wrong.
    pub fn read(client: &dyn Client, base: u64) -> Result<Wire, Errno> {
        // one copy brings the header and what usually follows it
        let mut block = [0u8; (HEADER_BYTES + 16 * ATTR_BYTES) as usize];
        let in_page = (4096 - (base & 4095)) as usize;
        let mut have = if in_page >= HEADER_BYTES as usize { block.len().min(in_page) } else { block.len() };
        if client.read(base, &mut block[..have]).is_err() {
            have = HEADER_BYTES as usize;
            client.read(base, &mut block[..have])?;
        }
        let header = Header {
            length: u16_at(&block, 0),
            object: u16_at(&block, 2),
            method: u16_at(&block, 4),
            num_attrs: u16_at(&block, 6),
            driver: u32_at(&block, 16),
            reserved_set: u64_at(&block, 8) != 0 || u32_at(&block, 20) != 0,
        };
        let bytes = HEADER_BYTES + ATTR_BYTES * header.num_attrs as u64;
        if header.length > MAX_BYTES || header.length as u64 != bytes {
            return Err(Errno::EINVAL);
        }
        let mut all = block.get(..(bytes as usize).min(have)).unwrap_or(&block).to_vec();
        if bytes as usize > have {
            all = vec![0; bytes as usize];
            client.read(base, &mut all)?;
        }
        let attrs = all
            .get(HEADER_BYTES as usize..)
            .unwrap_or(&[])
            .chunks_exact(ATTR_BYTES as usize)
            .map(|b| WireAttr {
                id: u16_at(b, 0),
                len: u16_at(b, 2),
                flags: u16_at(b, 4),
                extra: u16_at(b, 6),
                data: u64_at(b, 8),
            })
            .collect();
        Ok(Wire { base, header, attrs })
    }

    /// Address of attribute `index` in the client.
    pub fn attr_addr(&self, index: usize) -> u64 {
        self.base + HEADER_BYTES + ATTR_BYTES * index as u64
    }

    /// The method, or why the call is refused before its attributes are looked at.
    pub fn method(&self, generation: Generation) -> Result<&'static MethodSpec, Errno> {
        if self.header.reserved_set {
            return Err(Errno::EPROTONOSUPPORT);
        }
        if self.header.driver != DRIVER_MLX5 {
            return Err(Errno::EINVAL);
        }
        super::spec::method(generation, self.header.object, self.header.method).ok_or(Errno::EPROTONOSUPPORT)
    }
}

/// One accepted attribute.
#[derive(Debug)]
pub struct Given {
    /// Its declaration.
    pub spec: &'static AttrSpec,
    /// Its place in the client's array.
    pub index: usize,
    /// As sent.
    pub wire: WireAttr,
    /// The input, if the kernel copies it up front.
    copied: Option<Vec<u8>>,
    /// The handles of an array.
    pub handles: Vec<u32>,
}

/// The accepted attributes of a call.
#[derive(Debug)]
pub struct Bundle {
    /// The method called.
    pub method: &'static MethodSpec,
    /// The accepted attributes, in the order sent.
    pub given: Vec<Given>,
    /// The handle reserved for a new object.
    pub new_handle: Option<u32>,
    /// The handle of the object the method destroys.
    pub destroyed: Option<u32>,
    wire: Wire,
}

impl Bundle {
    /// Accept or refuse the attributes of `wire`, in the kernel's order. A handle reserved
    /// for a new object stays reserved only on success.
    pub fn parse(
        wire: Wire,
        method: &'static MethodSpec,
        generation: Generation,
        client: &dyn Client,
        file: &mut OpenFile,
    ) -> Result<Bundle, Errno> {
        let attrs = wire.attrs.clone();
        let mut bundle = Bundle { method, given: Vec::new(), new_handle: None, destroyed: None, wire };
        let mut verdict = Ok(());
        for (index, attr) in attrs.into_iter().enumerate() {
            verdict = bundle.accept(index, attr, generation, client, file);
            if verdict.is_err() {
                break;
            }
        }
        let missing = |a: &&AttrSpec| a.mandatory && a.since <= generation && bundle.find(a.id).is_none();
        if verdict.is_ok() && method.attrs.iter().any(|a| missing(&a)) {
            verdict = Err(Errno::EINVAL);
        }
        if let (Err(errno), Some(handle)) = (verdict, bundle.new_handle) {
            file.handles.release(handle);
            return Err(errno);
        }
        verdict.map(|()| bundle)
    }

    fn accept(
        &mut self,
        index: usize,
        attr: WireAttr,
        generation: Generation,
        client: &dyn Client,
        file: &mut OpenFile,
    ) -> Result<(), Errno> {
        let Some(spec) = self.method.attr(generation, attr.id) else {
            return if attr.flags & MANDATORY != 0 { Err(Errno::EPROTONOSUPPORT) } else { Ok(()) };
        };
        if self.find(attr.id).is_some() {
            return Err(Errno::EINVAL);
        }
        let mut given = Given { spec, index, wire: attr, copied: None, handles: Vec::new() };
        match spec.kind {
            Kind::EnumIn(elements) => {
                let element = *elements.get(attr.extra as usize & 0xff).ok_or(Errno::EOPNOTSUPP)?;
                if attr.extra >> 8 != 0 {
                    return Err(Errno::EINVAL);
                }
                given.accept_input(element.0, element.1, client)?;
            }
            Kind::PtrIn | Kind::ConstIn | Kind::FlagsIn => {
                given.check_reserved()?;
                given.accept_input(spec.min, spec.max, client)?;
            }
            Kind::PtrOut => {
                given.check_reserved()?;
                if attr.len < spec.min || (attr.len > spec.max && !spec.zero_trailing) {
                    return Err(Errno::EINVAL);
                }
            }
            Kind::Idr | Kind::Fd => {
                given.check_reserved()?;
                if attr.len != 0 {
                    return Err(Errno::EINVAL);
                }
                self.accept_object(&given, client, file)?;
            }
            Kind::RawFd => {
                given.check_reserved()?;
                if attr.len != 0 || i32::try_from(attr.data as i64).is_err() {
                    return Err(Errno::EINVAL);
                }
            }
            Kind::IdrArray => {
                given.check_reserved()?;
                let count = attr.len / 4;
                if !attr.len.is_multiple_of(4) || count < spec.min || count > spec.max {
                    return Err(Errno::EINVAL);
                }
                let bytes = given.bytes(client)?;
                for handle in bytes.chunks_exact(4).map(|b| u32_at(b, 0)) {
                    file.handles.lookup(handle as i64, spec.object)?;
                    given.handles.push(handle);
                }
            }
        }
        self.given.push(given);
        Ok(())
    }

    fn accept_object(
        &mut self,
        given: &Given,
        client: &dyn Client,
        file: &mut OpenFile,
    ) -> Result<(), Errno> {
        let (spec, id) = (given.spec, given.wire.data as i64);
        match (spec.kind, spec.access) {
            (Kind::Idr, Access::New) => {
                if file.ucontext.is_none() {
                    return Err(Errno::EINVAL);
                }
                let handle = file.handles.reserve();
                self.new_handle = Some(handle);
                client.write(self.wire.attr_addr(given.index) + 8, &(handle as u64).to_ne_bytes())
            }
            (Kind::Fd, Access::New) => match file.ucontext {
                Some(_) => Ok(()),
                None => Err(Errno::EINVAL),
            },
            (Kind::Idr, access) => {
                file.handles.lookup(id, spec.object)?;
                if access == Access::Destroy {
                    self.destroyed = u32::try_from(id).ok();
                }
                Ok(())
            }
            (_, _) => {
                let fd = i32::try_from(id).map_err(|_| Errno::EOVERFLOW)?;
                let key = client.file_key(fd).ok_or(Errno::EBADF)?;
                match file.event_fds.get(&key) {
                    Some(e) if spec.object == ANY_OBJECT || e.object_type() == spec.object => Ok(()),
                    _ => Err(Errno::EBADF),
                }
            }
        }
    }

    /// The attribute with that id, if the client gave it.
    pub fn find(&self, id: u16) -> Option<&Given> {
        self.given.iter().find(|g| g.wire.id == id)
    }

    /// Tell the client that an output has been written.
    pub fn mark_valid(&self, client: &dyn Client, given: &Given) -> Result<(), Errno> {
        let flags = given.wire.flags | VALID_OUTPUT;
        client.write(self.wire.attr_addr(given.index) + 4, &flags.to_ne_bytes())
    }

    /// Store a new object's number in its attribute.
    pub fn put_data(&self, client: &dyn Client, given: &Given, value: i64) -> Result<(), Errno> {
        client.write(self.wire.attr_addr(given.index) + 8, &value.to_ne_bytes())
    }
}

impl Given {
    fn check_reserved(&self) -> Result<(), Errno> {
        if self.wire.extra != 0 { Err(Errno::EINVAL) } else { Ok(()) }
    }

    fn accept_input(&mut self, min: u16, max: u16, client: &dyn Client) -> Result<(), Errno> {
        let len = self.wire.len;
        if len > max && self.spec.zero_trailing {
            let all = self.bytes(client)?;
            if all.iter().skip(max as usize).any(|b| *b != 0) {
                return Err(Errno::EOPNOTSUPP);
            }
        } else if len < min || len > max {
            return Err(Errno::EINVAL);
        }
        if self.spec.copied {
            self.copied = Some(self.bytes(client)?);
        }
        Ok(())
    }

    /// The whole input.
    pub fn bytes(&self, client: &dyn Client) -> Result<Vec<u8>, Errno> {
        if let Some(copied) = &self.copied {
            return Ok(copied.clone());
        }
        let len = self.wire.len as usize;
        if len <= 8 {
            return Ok(self.wire.data.to_ne_bytes().into_iter().take(len).collect());
        }
        let mut v = vec![0; len];
        client.read(self.wire.data, &mut v)?;
        Ok(v)
    }
}
