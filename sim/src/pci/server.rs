//! Serves functions on unix sockets, one client each, all in one thread. Each is a card with a
//! wire of its own: what it sends comes back to it, never to another card.

use super::control::Control;
use super::function::Function;
use super::vfio_user::{self, Stream};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::Path;

/// How long a queue that waits for its peer (no receive posted yet, say) is left alone, ms.
const RETRY: i32 = 1;

/// A function, the socket it is offered on, and its client.
pub struct Slot {
    function: Function,
    listener: UnixListener,
    client: Option<Stream>,
}

impl Slot {
    /// Offer `function` on a new socket at `path`.
    pub fn new(path: &Path, function: Function) -> io::Result<Slot> {
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        Ok(Slot { function, listener, client: None })
    }

    fn descriptor(&self) -> i32 {
        self.client.as_ref().map_or(self.listener.as_raw_fd(), Stream::descriptor)
    }

    /// Something is to be read: a message, or a new client.
    fn ready(&mut self) {
        match &mut self.client {
            None => match self.listener.accept() {
                Ok((stream, _)) => self.client = Some(Stream::new(stream)),
                Err(e) => eprintln!("vfio-user: accept: {e}"),
            },
            Some(stream) => {
                if let Err(e) = vfio_user::serve(stream, &mut self.function) {
                    if e.kind() != io::ErrorKind::UnexpectedEof {
                        eprintln!("vfio-user: client dropped: {e}");
                    }
                    self.client = None;
                    self.function.unplug();
                }
            }
        }
    }
}

/// A set of functions being served.
pub struct Server {
    slots: Vec<Slot>,
    control: Option<Control>,
}

impl Server {
    /// A server of these functions.
    pub fn new(slots: Vec<Slot>, control: Option<Control>) -> Server {
        Server { slots, control }
    }

    /// Serve until polling fails, or, with `once`, until all clients that came have gone.
    pub fn run(&mut self, once: bool) -> io::Result<()> {
        let mut busy = false;
        let mut seen = false;
        loop {
            let descriptors =
                self.slots.iter().map(Slot::descriptor).chain(self.control.iter().map(Control::descriptor));
            let mut polled: Vec<libc::pollfd> =
                descriptors.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
            let timeout = if busy { RETRY } else { -1 };
            // SAFETY: the vector holds `len` entries and outlives the call.
            let n = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, timeout) };
            if n < 0 {
                let e = io::Error::last_os_error();
                if e.kind() == io::ErrorKind::Interrupted {
                    continue;
                }
                return Err(e);
            }
            for (slot, p) in self.slots.iter_mut().zip(&polled) {
                if p.revents != 0 {
                    slot.ready();
                }
            }
            if let (Some(control), Some(p)) = (&mut self.control, polled.get(self.slots.len()))
                && p.revents != 0
            {
                let cards = self.slots.iter_mut().map(|s| &mut s.function).filter(|f| f.has_msix());
                control.ready(&mut cards.collect::<Vec<_>>());
            }
            busy = false;
            for slot in &mut self.slots {
                busy |= slot.function.progress();
            }
            let clients = self.slots.iter().any(|s| s.client.is_some());
            seen |= clients;
            if once && seen && !clients {
                return Ok(());
            }
        }
    }
}
