//! Kernel structures as bytes: fields by offset, in the machine's byte order.

/// A structure being filled. Its offsets are those of `abi/uapi-7.x.json`.
#[derive(Clone, Debug)]
pub struct Out(pub Vec<u8>);

impl Out {
    /// A zeroed structure of `len` bytes.
    pub fn new(len: usize) -> Out {
        Out(vec![0; len])
    }

    /// Copy bytes to an offset; what does not fit is left out.
    pub fn bytes(&mut self, at: usize, data: &[u8]) -> &mut Out {
        let end = at.saturating_add(data.len());
        if let Some(place) = self.0.get_mut(at..end) {
            place.copy_from_slice(data);
        }
        self
    }

    /// Store an 8-bit field.
    pub fn u8(&mut self, at: usize, v: u8) -> &mut Out {
        self.bytes(at, &[v])
    }

    /// Store a 16-bit field.
    pub fn u16(&mut self, at: usize, v: u16) -> &mut Out {
        self.bytes(at, &v.to_ne_bytes())
    }

    /// Store a 32-bit field.
    pub fn u32(&mut self, at: usize, v: u32) -> &mut Out {
        self.bytes(at, &v.to_ne_bytes())
    }

    /// Store a 64-bit field.
    pub fn u64(&mut self, at: usize, v: u64) -> &mut Out {
        self.bytes(at, &v.to_ne_bytes())
    }
}

/// A structure as the client sent it; what it left out reads as zero.
#[derive(Clone, Copy, Debug)]
pub struct In<'a>(pub &'a [u8]);

impl In<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut v = [0; N];
        for (to, from) in v.iter_mut().zip(self.0.get(at..).unwrap_or(&[])) {
            *to = *from;
        }
        v
    }

    /// An 8-bit field.
    pub fn u8(&self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    /// A 16-bit field.
    pub fn u16(&self, at: usize) -> u16 {
        u16::from_ne_bytes(self.array(at))
    }

    /// A 32-bit field.
    pub fn u32(&self, at: usize) -> u32 {
        u32::from_ne_bytes(self.array(at))
    }

    /// A 64-bit field.
    pub fn u64(&self, at: usize) -> u64 {
        u64::from_ne_bytes(self.array(at))
    }

    /// `N` bytes.
    pub fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.array(at)
    }

    /// Whether everything from `at` on is zero.
    pub fn zero_from(&self, at: usize) -> bool {
        self.0.iter().skip(at).all(|b| *b == 0)
    }
}
