//! UAR pages and their BlueFlame registers: who gets which.
//!
//! With dynamic UARs (all current kernels) the library allocates pages as it needs them and cuts
//! them into registers; a register that is given back waits in its list, and pages go only with
//! the context. With static UARs (`tot_bfregs` not zero) the kernel has laid them all out and
//! picks for each QP itself (`spec`: context, section 4; objects, section 2).

use super::{
    bfreg::{ADAPTER_PAGE, ALL_BFREGS_PER_UAR, BFREGS_PER_UAR, Counts},
    get_context::Response,
};
use crate::{
    abi::{dv::mlx5dv_devx_uar, verbs::ibv_context},
    error::{Errno, Result},
    mutex::Mutex,
    sync::SpinLock,
    uverbs::{self, Attr, Mapping},
};
use alloc::{boxed::Box, collections::VecDeque, vec::Vec};
use core::{
    cell::{Cell, UnsafeCell},
    ffi::{c_int, c_void},
    ptr::{self, NonNull},
    sync::atomic::AtomicPtr,
};
use prm::uverbs::{attr, method, object};

/// First register in a UAR.
const BF_OFFSET: usize = 0x800;
/// Distance of the doorbells in a non-cached UAR.
const NC_STRIDE: usize = 0x100;
/// Doorbells used of a non-cached UAR.
const NC_PER_UAR: usize = 4;
/// mmap commands.
const MMAP_REGULAR: u64 = 0;
const MMAP_NC: u64 = 3;
const MMAP_ALLOC_WC: u64 = 6;
/// `MLX5_IB_UAPI_UAR_ALLOC_TYPE_*`.
const TYPE_BF: u64 = 0;
const TYPE_NC: u64 = 1;

/// What a register is for; each class has its own list.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Class {
    /// BlueFlame register of one thread domain or DEVX user.
    Dedicated,
    /// Non-cached doorbell of one DEVX user.
    DedicatedNc,
    /// BlueFlame register of one QP.
    QpDedicated,
    /// BlueFlame register that QPs share.
    QpShared,
    /// The context's one non-cached page: CQ doorbells, and whoever may not use BlueFlame.
    Singleton,
    /// Laid out by the kernel.
    Static,
}

/// One register. Stays at its address until the context is closed.
#[repr(C)]
pub struct Bfreg {
    /// What `mlx5dv_devx_alloc_uar` hands out; first, so that its address is the register's.
    devx: UnsafeCell<mlx5dv_devx_uar>,
    /// Context of the application that holds `devx`; NULL before the first time.
    pub owner: AtomicPtr<ibv_context>,
    /// Next half of the register to write to; toggles. Guarded by `lock` where that is needed.
    pub offset: Cell<u32>,
    /// Bytes of a BlueFlame write; 0 for doorbells only.
    pub buf_size: u32,
    /// 0: never BlueFlame.
    pub uuarn: u32,
    /// Writers must take `lock`.
    pub need_lock: bool,
    pub lock: SpinLock,
    pub class: Class,
    /// Kernel index of a static or page-allocated register.
    pub index: u32,
    /// QPs that use a shared register. Guarded by the pool's mutex.
    users: Cell<u32>,
}

// SAFETY: plain data; the cells are guarded as their comments say.
unsafe impl Send for Bfreg {}
// SAFETY: as above.
unsafe impl Sync for Bfreg {}

impl Bfreg {
    /// What `mlx5dv_devx_alloc_uar` hands out.
    pub fn devx(&self) -> *mut mlx5dv_devx_uar {
        self.devx.get()
    }

    /// Address of the register.
    pub fn reg(&self) -> *mut u8 {
        // SAFETY: written only before the register is known to anybody.
        unsafe { (*self.devx.get()).reg_addr.cast() }
    }

    /// Number of the UAR in device commands.
    pub fn page_id(&self) -> u32 {
        // SAFETY: as in `reg`, or by the one DEVX user that holds the register.
        unsafe { (*self.devx.get()).page_id }
    }

    /// Offset of the page in the device file; 0 for a page beside the static layout.
    pub fn mmap_off(&self) -> i64 {
        // SAFETY: as in `reg`.
        unsafe { (*self.devx.get()).mmap_off }
    }
}

/// A page of registers: unmapped and destroyed with the context.
struct Page {
    fd: c_int,
    handle: Option<u32>,
    mapping: Option<Mapping>,
    regs: Box<[Bfreg]>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.mapping = None;
        if let Some(handle) = self.handle {
            let mut attrs = [Attr::handle(attr::UAR_OBJ_DESTROY_HANDLE, handle)];
            let _ = uverbs::execute(self.fd, object::UAR, method::UAR_OBJ_DESTROY, &mut attrs);
        }
    }
}

/// What a page is allocated by.
#[derive(Clone, Copy)]
struct Geometry {
    fd: c_int,
    page_size: usize,
    bf_reg_size: usize,
    uars_per_page: usize,
    /// Dynamic mode; otherwise only write-combining pages can be had, up to a limit.
    dynamic: bool,
    /// Static mode: pages that may be allocated beside the static ones.
    max_pages: u32,
}

#[derive(Default)]
struct Lists {
    /// In the order of the lists at close: BF, NC, dedicated, shared.
    pages: [Vec<Page>; 4],
    dedicated: VecDeque<NonNull<Bfreg>>,
    dedicated_nc: VecDeque<NonNull<Bfreg>>,
    qp_dedicated: VecDeque<NonNull<Bfreg>>,
    qp_shared: Vec<NonNull<Bfreg>>,
    allocated_dedicated: u32,
    allocated_shared: u32,
    /// Static mode: pages allocated so far.
    page_counter: u32,
}

// SAFETY: the pointers lead into the boxes of `pages`.
unsafe impl Send for Lists {}

/// All registers of a context.
pub struct UarPool {
    geometry: Geometry,
    counts: Counts,
    single_threaded: bool,
    blueflame: bool,
    lists: Mutex<Lists>,
    statics: Vec<Page>,
    singleton: Option<Page>,
}

impl UarPool {
    /// Lays out the registers of a new context; in static mode maps the kernel's pages, and fails
    /// with mmap's errno.
    pub fn new(
        fd: c_int,
        info: &Response,
        page_size: usize,
        counts: Counts,
        shut_up_bf: bool,
        single_threaded: bool,
    ) -> Result<UarPool> {
        let uars_per_page = info.num_uars_per_page.max(1) as usize;
        let mut pool = UarPool {
            geometry: Geometry {
                fd,
                page_size,
                bf_reg_size: info.bf_reg_size as usize,
                uars_per_page,
                dynamic: info.tot_bfregs == 0,
                max_pages: info.num_dyn_bfregs / (uars_per_page * BFREGS_PER_UAR) as u32,
            },
            counts,
            single_threaded,
            blueflame: !shut_up_bf && info.bf_reg_size != 0,
            lists: Mutex::new(Lists::default()),
            statics: Vec::new(),
            singleton: None,
        };
        if info.tot_bfregs != 0 {
            pool.counts.total = info.tot_bfregs as i32;
            let pages = info.tot_bfregs as usize / (uars_per_page * BFREGS_PER_UAR);
            for i in 0..pages {
                let page = pool.static_page(i, shut_up_bf)?;
                pool.statics.push(page);
            }
        }
        Ok(pool)
    }

    /// Page `i` of the static layout.
    fn static_page(&self, i: usize, shut_up_bf: bool) -> Result<Page, Errno> {
        let g = &self.geometry;
        let offset = |command| g.page_size as u64 * (command << 8 | i as u64);
        let map = |command| {
            Mapping::new(g.fd, offset(command), g.page_size, libc::PROT_WRITE).map(|m| (m, offset(command)))
        };
        let (mapping, offset) = match shut_up_bf {
            true => map(MMAP_NC).or_else(|_| map(MMAP_REGULAR))?,
            false => map(MMAP_REGULAR)?,
        };
        let regs = (0..g.uars_per_page * ALL_BFREGS_PER_UAR)
            .map(|n| {
                let (uar, k) = (n / ALL_BFREGS_PER_UAR, n % ALL_BFREGS_PER_UAR);
                let index = (i * g.uars_per_page + uar) * ALL_BFREGS_PER_UAR + k;
                let at = ADAPTER_PAGE * uar + BF_OFFSET + k * g.bf_reg_size;
                let mut r = self.register(&mapping, at, Class::Static);
                r.index = index as u32;
                r.uuarn = index as u32;
                r.buf_size = if index == 0 { 0 } else { g.bf_reg_size as u32 / 2 };
                r.need_lock = self.static_needs_lock(index);
                r.devx.get_mut().mmap_off = offset as i64;
                r
            })
            .collect();
        Ok(Page { fd: g.fd, handle: None, mapping: Some(mapping), regs })
    }

    /// Register 0 is only rung, and the last ones are low latency: each has one user.
    fn static_needs_lock(&self, index: usize) -> bool {
        let low_latency_from = (self.counts.total - self.counts.low_latency) as usize;
        index != 0 && !self.single_threaded && index.div_ceil(2) < low_latency_from
    }

    fn register(&self, mapping: &Mapping, at: usize, class: Class) -> Bfreg {
        let base = mapping.base();
        // SAFETY: `at` is below the page's length.
        let reg: NonNull<c_void> = unsafe { base.byte_add(at) };
        Bfreg {
            devx: UnsafeCell::new(mlx5dv_devx_uar {
                reg_addr: reg.as_ptr(),
                base_addr: base.as_ptr(),
                page_id: 0,
                mmap_off: 0,
                comp_mask: 0,
            }),
            owner: AtomicPtr::new(ptr::null_mut()),
            offset: Cell::new(0),
            buf_size: 0,
            uuarn: 0,
            need_lock: class == Class::QpShared && !self.single_threaded,
            lock: SpinLock::new(true),
            class,
            index: 0,
            users: Cell::new(0),
        }
    }

    /// Allocates one page of `class`. Errors: the kernel's; EOPNOTSUPP for non-cached pages and
    /// ENOSPC beyond the limit in static mode.
    fn page(&self, class: Class, page_counter: &mut u32) -> Result<Page> {
        let nc = matches!(class, Class::DedicatedNc | Class::Singleton);
        let mut page = Page { fd: self.geometry.fd, handle: None, mapping: None, regs: Box::default() };
        let (mapping, mmap_off, page_id) = if self.geometry.dynamic {
            self.uar_object(nc, &mut page)?
        } else {
            if nc {
                return Err(refuse!(EOPNOTSUPP, "non-cached UAR with static UARs"));
            }
            self.wc_page(page_counter)?
        };
        let g = &self.geometry;
        let (per_uar, stride) = if nc { (NC_PER_UAR, NC_STRIDE) } else { (BFREGS_PER_UAR, g.bf_reg_size) };
        page.regs = (0..g.uars_per_page * per_uar)
            .map(|n| {
                let (uar, k) = (n / per_uar, n % per_uar);
                let mut r = self.register(&mapping, uar * ADAPTER_PAGE + BF_OFFSET + k * stride, class);
                let devx = r.devx.get_mut();
                devx.page_id = page_id.wrapping_add(uar as u32);
                devx.mmap_off = mmap_off as i64;
                if !nc {
                    r.buf_size = g.bf_reg_size as u32 / 2;
                    r.uuarn = 1;
                }
                if !g.dynamic {
                    r.index = ((*page_counter - 1) as usize * g.uars_per_page * BFREGS_PER_UAR + n) as u32;
                }
                r
            })
            .collect();
        page.mapping = Some(mapping);
        Ok(page)
    }

    /// A UAR object of the kernel. `page` gets the handle before the mapping is tried, so that a
    /// failed mapping destroys the object that was made.
    fn uar_object(&self, nc: bool, page: &mut Page) -> Result<(Mapping, u64, u32)> {
        let (mut offset, mut length, mut page_id) = (0u64, 0u32, 0u32);
        let mut attrs = [
            Attr::new_object(attr::UAR_OBJ_ALLOC_HANDLE),
            Attr::u64(attr::UAR_OBJ_ALLOC_TYPE, if nc { TYPE_NC } else { TYPE_BF }),
            Attr::number(attr::UAR_OBJ_ALLOC_MMAP_OFFSET, &mut offset),
            Attr::number(attr::UAR_OBJ_ALLOC_MMAP_LENGTH, &mut length),
            Attr::number(attr::UAR_OBJ_ALLOC_PAGE_ID, &mut page_id),
        ];
        uverbs::execute(page.fd, object::UAR, method::UAR_OBJ_ALLOC, &mut attrs)?;
        page.handle = Some(attrs[0].new_handle());
        let mapping = Mapping::new(page.fd, offset, length as usize, libc::PROT_WRITE)?;
        Ok((mapping, offset, page_id))
    }

    /// A write-combining page beside the static layout.
    fn wc_page(&self, counter: &mut u32) -> Result<(Mapping, u64, u32)> {
        let g = &self.geometry;
        if *counter > g.max_pages {
            return Err(refuse!(ENOSPC, "all dynamic UAR pages are in use", pages = *counter));
        }
        let index = u64::from(*counter);
        let offset = g.page_size as u64 * (MMAP_ALLOC_WC << 8 | (index & 0xff) | (index >> 8) << 16);
        let mapping = Mapping::new(g.fd, offset, g.page_size, libc::PROT_WRITE)?;
        *counter += 1;
        Ok((mapping, 0, 0))
    }

    /// Allocates the context's non-cached page; failure leaves the context without one.
    pub fn allocate_singleton(&mut self) -> Result<()> {
        let page = self.page(Class::Singleton, &mut 0)?;
        self.singleton = Some(page);
        Ok(())
    }

    /// The non-cached register of the context, if it has one.
    pub fn singleton(&self) -> Option<NonNull<Bfreg>> {
        self.singleton.as_ref()?.regs.first().map(NonNull::from)
    }

    /// Base of the page that CQs are armed through: the non-cached page, else the first static one.
    pub fn cq_uar(&self) -> Option<NonNull<c_void>> {
        let page = self.singleton.as_ref().or(self.statics.first())?;
        page.mapping.as_ref().map(Mapping::base)
    }

    /// Static mode: the register with this kernel index.
    pub fn static_register(&self, index: usize) -> Option<NonNull<Bfreg>> {
        let per_page = self.geometry.uars_per_page * ALL_BFREGS_PER_UAR;
        self.statics.get(index / per_page)?.regs.get(index % per_page).map(NonNull::from)
    }

    /// True if the kernel picks registers for QPs.
    pub fn is_static(&self) -> bool {
        !self.geometry.dynamic
    }

    /// A register for one thread domain or DEVX user. Errors: as a new page has them.
    pub fn take(&self, class: Class) -> Result<NonNull<Bfreg>> {
        let mut guard = self.lists.lock();
        let lists = &mut *guard;
        let (list, pages) = match class {
            Class::DedicatedNc => (&mut lists.dedicated_nc, &mut lists.pages[1]),
            _ => (&mut lists.dedicated, &mut lists.pages[0]),
        };
        if list.is_empty() {
            let page = self.page(class, &mut lists.page_counter)?;
            list.extend(page.regs.iter().map(NonNull::from));
            pages.push(page);
        }
        list.pop_front().ok_or(refuse!(ENOMEM, "UAR page without registers"))
    }

    /// The register for a QP without a thread domain, by the rule of the sheet. None if none can
    /// be had.
    pub fn take_for_qp(&self) -> Option<NonNull<Bfreg>> {
        if !self.blueflame {
            return self.singleton();
        }
        let mut guard = self.lists.lock();
        let lists = &mut *guard;
        let registers = (self.geometry.uars_per_page * BFREGS_PER_UAR) as u32;
        if lists.qp_dedicated.is_empty() && lists.allocated_dedicated < self.counts.low_latency as u32 {
            let page = self.page(Class::QpDedicated, &mut lists.page_counter).ok()?;
            lists.qp_dedicated.extend(page.regs.iter().map(NonNull::from));
            lists.pages[2].push(page);
            lists.allocated_dedicated += registers;
        }
        if let Some(r) = lists.qp_dedicated.pop_front() {
            return Some(r);
        }
        if lists.allocated_shared < (self.counts.total - self.counts.low_latency) as u32 {
            let page = self.page(Class::QpShared, &mut lists.page_counter).ok()?;
            lists.qp_shared.extend(page.regs.iter().map(NonNull::from));
            lists.pages[3].push(page);
            lists.allocated_shared += registers;
        }
        // SAFETY: registers live as long as the pool.
        let users = |r: &NonNull<Bfreg>| unsafe { r.as_ref() }.users.get();
        let least = *lists.qp_shared.iter().min_by_key(|r| users(r))?;
        // SAFETY: as above.
        unsafe { least.as_ref() }.users.set(users(&least) + 1);
        Some(least)
    }

    /// Takes a register back. The singleton and static registers have no list.
    pub fn give_back(&self, register: NonNull<Bfreg>) {
        let mut lists = self.lists.lock();
        // SAFETY: registers live as long as the pool.
        let r = unsafe { register.as_ref() };
        match r.class {
            Class::Dedicated => lists.dedicated.push_back(register),
            Class::DedicatedNc => lists.dedicated_nc.push_back(register),
            Class::QpDedicated => lists.qp_dedicated.push_back(register),
            Class::QpShared => r.users.set(r.users.get().saturating_sub(1)),
            Class::Singleton | Class::Static => {}
        }
    }
}

impl Drop for UarPool {
    /// The order of close: static pages, then the lists, the singleton last.
    fn drop(&mut self) {
        self.statics.clear();
        let lists = self.lists.get_mut();
        // Pages go in the order in which their first registers wait in the lists.
        let waiting = [&lists.dedicated, &lists.dedicated_nc, &lists.qp_dedicated];
        for (pages, list) in lists.pages.iter_mut().zip(waiting) {
            let place = |page: &Page| {
                let first = page.regs.first().map(NonNull::from);
                list.iter().position(|r| Some(*r) == first)
            };
            pages.sort_by_key(|page| place(page).unwrap_or(usize::MAX));
        }
        for pages in &mut lists.pages {
            pages.clear();
        }
        self.singleton = None;
    }
}
