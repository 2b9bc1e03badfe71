//! What the supervisor waits for besides calls: last closes of device files, event
//! descriptors that hang up or take more, the control channel, the end of the program.

use super::super::client::FileKey;
use super::super::control;
use super::super::world::World;
use super::calls::Server;
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use nix::sys::socket::{
    AddressFamily, Backlog, MsgFlags, SockFlag, SockType, UnixAddr, accept4, bind, listen, recv, send, socket,
};
use std::collections::HashMap;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tokens of the poll set; event descriptors follow.
const LISTENER: u64 = 0;
const INOTIFY: u64 = 1;
const CONTROL: u64 = 2;
const FIRST_DYNAMIC: u64 = 16;

enum Watched {
    Event(FileKey),
    Control(OwnedFd),
}

/// What other threads register with.
pub struct Handle {
    epoll: Epoll,
    inotify: Inotify,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    watched: HashMap<u64, Watched>,
    files: HashMap<WatchDescriptor, u32>,
}

/// The watching side.
pub struct Watch {
    world: Arc<Mutex<World>>,
    handle: Arc<Handle>,
    control: OwnedFd,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Watch, with a control channel at `path`.
    pub fn new(world: Arc<Mutex<World>>, path: &Path) -> Result<Watch, Errno> {
        let control = socket(AddressFamily::Unix, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)?;
        bind(control.as_raw_fd(), &UnixAddr::new(path)?)?;
        listen(&control, Backlog::new(16)?)?;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        epoll.add(&inotify, EpollEvent::new(EpollFlags::EPOLLIN, INOTIFY))?;
        epoll.add(&control, EpollEvent::new(EpollFlags::EPOLLIN, CONTROL))?;
        let state = Mutex::new(State { next: FIRST_DYNAMIC, ..State::default() });
        Ok(Watch { world, handle: Arc::new(Handle { epoll, inotify, state }), control })
    }

    /// The registering side.
    pub fn handle(&self) -> Arc<Handle> {
        self.handle.clone()
    }

    /// Serve until every process under the filter is gone.
    pub fn run_until_hang_up(&self, server: &Server) {
        let listener = server.listener().fd();
        let _ = self.handle.epoll.add(listener, EpollEvent::new(EpollFlags::empty(), LISTENER));
        while self.serve_ready() {}
        self.handle.see_closes(&mut lock(&self.world));
    }

    /// Serve as long as the process lives.
    pub fn run_for_ever(&self) {
        while self.serve_ready() {}
    }

    /// Wait for something and serve it; false once the listener hangs up.
    fn serve_ready(&self) -> bool {
        let mut ready = [EpollEvent::empty(); 16];
        let Ok(n) = self.handle.epoll.wait(&mut ready, EpollTimeout::NONE) else { return true };
        for event in ready.iter().take(n) {
            match event.data() {
                LISTENER if event.events().contains(EpollFlags::EPOLLHUP) => return false,
                LISTENER => {}
                INOTIFY => self.handle.see_closes(&mut lock(&self.world)),
                CONTROL => self.accept(),
                token => self.dynamic(token, event.events()),
            }
        }
        true
    }

    fn accept(&self) {
        let Ok(fd) = accept4(self.control.as_raw_fd(), SockFlag::SOCK_CLOEXEC) else { return };
        // SAFETY: accept4 has just made the descriptor; nobody else owns it.
        self.handle.add_control(unsafe { OwnedFd::from_raw_fd(fd) });
    }

    fn dynamic(&self, token: u64, events: EpollFlags) {
        let mut world = lock(&self.world);
        let mut state = lock(&self.handle.state);
        let mut gone =
            events.intersects(EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR | EpollFlags::EPOLLRDHUP);
        match state.watched.get(&token) {
            Some(Watched::Event(key)) if gone => world.event_fd_closed(*key),
            Some(Watched::Event(key)) => world.event_fd_writable(*key),
            Some(Watched::Control(fd)) => {
                let mut line = [0u8; 1024];
                match recv(fd.as_raw_fd(), &mut line, MsgFlags::MSG_DONTWAIT) {
                    Ok(n) if n > 0 => {
                        let text = String::from_utf8_lossy(line.get(..n).unwrap_or(&[])).into_owned();
                        let reply = control::serve(&mut world, &text);
                        let _ = send(
                            fd.as_raw_fd(),
                            reply.as_bytes(),
                            MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT,
                        );
                        gone = false;
                    }
                    Err(Errno::EAGAIN) if !gone => {}
                    _ => gone = true,
                }
            }
            None => return,
        }
        if gone {
            if let Some(Watched::Control(fd)) = state.watched.get(&token) {
                let _ = self.handle.epoll.delete(fd);
            }
            state.watched.remove(&token);
        }
    }
}

impl Handle {
    /// Serve a control connection.
    pub fn add_control(&self, fd: OwnedFd) {
        let mut state = lock(&self.state);
        let token = state.next;
        state.next += 1;
        if self.epoll.add(&fd, EpollEvent::new(EpollFlags::EPOLLIN, token)).is_ok() {
            state.watched.insert(token, Watched::Control(fd));
        }
    }

    /// Watch our ends of event descriptors: for the client's last close, and for room.
    pub fn add_events(&self, world: &mut World) {
        for (raw, key) in world.take_new_events() {
            let mut state = lock(&self.state);
            let token = state.next;
            state.next += 1;
            let flags = EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
            // SAFETY: `raw` is our end of a pair that the world, locked by the caller, holds.
            let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(raw) };
            if self.epoll.add(fd.as_fd(), EpollEvent::new(flags, token)).is_ok() {
                state.watched.insert(token, Watched::Event(key));
            }
        }
    }

    /// Watch a shared file for its last close.
    pub fn add_file(&self, path: &Path, number: u32) {
        if let Ok(wd) =
            self.inotify.add_watch(path, AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_CLOSE_NOWRITE)
        {
            lock(&self.state).files.insert(wd, number);
        }
    }

    /// Release files whose last descriptor and mapping are gone, in the order of their
    /// closes. The kernel queues a close before close(2) returns, so whoever calls this
    /// first sees all closes that happened before.
    pub fn see_closes(&self, world: &mut World) {
        while let Ok(events) = self.inotify.read_events() {
            for event in events {
                let closes = AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_CLOSE_NOWRITE;
                if !event.mask.intersects(closes) {
                    continue;
                }
                let number = lock(&self.state).files.remove(&event.wd);
                if let Some(number) = number {
                    let _ = self.inotify.rm_watch(event.wd);
                    world.release(number);
                }
            }
        }
    }
}
