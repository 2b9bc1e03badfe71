# Each target is one or two commands; cargo does the work.
#
#   make            the library, target/release/libmlx5.so
#   make dist       the drop-in folder target/dist: the library under all its names, headers,
#                   pkg-config file and the command with-mlx5
#   make install    into PREFIX (/usr/local); DESTDIR, LIBDIR, INCLUDEDIR, BINDIR as usual.
#                   PROVIDERDIR=/usr/lib/TRIPLET/libibverbs makes it the system's provider
#   make uninstall  with the same variables
#   make check-abi  headers, symbols, layouts and installation against the tables in abi/
#   make matrix     docs/matrix.md from symbols.txt, the sources and the tests
#   make errno      docs/errno.md from the sources: what each function refuses
#   make demo       examples/events.c on the software ConnectX, or on a card with DEVICE=mlx5_0
#   make test       everything that needs no card
#   make bench      both libraries in one run: a table, and target/bench.json
#   make vm         what guests with a stock kernel are made of, see vm/README.md
#   make test-vm    both libraries on stock kernels that drive the software ConnectX
#   make setup      the Debian packages that the above need

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)
LIB = $(TARGET)/release/libmlx5.so

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR ?= $(PREFIX)/bin
PROVIDERDIR ?=
DIST ?= $(TARGET)/dist

# The release whose interface this is: node of the newest symbol, then rdma-core's number.
VERSION = 1.27.65.0
# The private interfaces of libibverbs that the one file serves.
PABI = 34 57 59 64 65
HEADERS = mlx5dv.h mlx5_api.h mlx5_user_ioctl_verbs.h

SOURCES = Cargo.toml Cargo.lock build.rs symbols.txt $(shell find src prm/src -name '*.rs')

.PHONY: all build setup demo test vm test-vm bench check-abi matrix errno dist install uninstall clean help

all: build

build: $(LIB)

# cargo leaves an unchanged file alone, which would look out of date for ever.
$(LIB): $(SOURCES)
	$(CARGO) build --release --package mlx5
	@touch $@

setup:
	@scripts/setup.sh

check-abi: setup $(LIB)
	MLX5_LIBRARY=$(abspath $(LIB)) $(CARGO) test --package checks --package checks-verbs

matrix:
	$(CARGO) run --quiet --package checks --bin matrix

errno:
	$(CARGO) run --quiet --package checks --bin errno

# Compiles an example against the drop-in folder and runs it.
demo: setup dist
	$(CARGO) build --quiet --profile card --package sim
	@scripts/demo.sh $(TARGET)/card/mlx5-sim $(DIST) $(DEVICE)

# The library is held to the reference release that the host has, and to the newer ones where
# their packages can be had; recorded expectations stand in for the rest.
test: setup build
	scripts/reference.sh || echo "without reference roots: recorded expectations only"
	$(CARGO) build --profile card --package sim
	$(CARGO) test --workspace
	$(CARGO) run --quiet --package ctest-runner
	$(CARGO) run --quiet --package ctest-runner -- --records
	$(CARGO) run --quiet --package ctest-runner -- --valgrind

bench: setup build
	$(CARGO) build --quiet --profile card --package sim
	$(CARGO) run --quiet --package bench

vm: setup
	vm/vm prepare

test-vm: setup
	vm/test

# ---- installation -------------------------------------------------------

# What the pkg-config file and with-mlx5 say about their place.
PC_PREFIX = $(PREFIX)
PC_LIBDIR = $(LIBDIR)
PC_INCLUDEDIR = $(INCLUDEDIR)
WITH_LIBDIR = $(LIBDIR)

TO = $(DESTDIR)$(LIBDIR)
FILL = sed -e 's|@PREFIX@|$(PC_PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@INCLUDEDIR@|$(PC_INCLUDEDIR)|'

define place
install -d $(TO)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/infiniband $(DESTDIR)$(BINDIR)
install -m 755 $(LIB) $(TO)/libmlx5.so.$(VERSION)
ln -sfn libmlx5.so.$(VERSION) $(TO)/libmlx5.so.1
ln -sfn libmlx5.so.1 $(TO)/libmlx5.so
for n in $(PABI); do ln -sfn libmlx5.so.$(VERSION) $(TO)/libmlx5-rdmav$$n.so || exit 1; done
install -m 644 $(HEADERS:%=include/infiniband/%) $(DESTDIR)$(INCLUDEDIR)/infiniband
$(FILL) -e 's|@LIBDIR@|$(PC_LIBDIR)|' pkgconfig/libmlx5.pc.in >$(TO)/pkgconfig/libmlx5.pc
$(FILL) -e 's|@LIBDIR@|$(WITH_LIBDIR)|' scripts/with-mlx5.in >$(DESTDIR)$(BINDIR)/with-mlx5
chmod 644 $(TO)/pkgconfig/libmlx5.pc
chmod 755 $(DESTDIR)$(BINDIR)/with-mlx5
endef

install: $(LIB)
	$(place)
	if [ -n "$(PROVIDERDIR)" ]; then install -d $(DESTDIR)$(PROVIDERDIR) && for n in $(PABI); do \
		ln -sfn $(LIBDIR)/libmlx5.so.$(VERSION) $(DESTDIR)$(PROVIDERDIR)/libmlx5-rdmav$$n.so || exit 1; done; fi

uninstall:
	rm -f $(TO)/libmlx5.so.$(VERSION) $(TO)/libmlx5.so.1 $(TO)/libmlx5.so $(PABI:%=$(TO)/libmlx5-rdmav%.so)
	rm -f $(HEADERS:%=$(DESTDIR)$(INCLUDEDIR)/infiniband/%)
	rm -f $(TO)/pkgconfig/libmlx5.pc $(DESTDIR)$(BINDIR)/with-mlx5
	if [ -n "$(PROVIDERDIR)" ]; then rm -f $(PABI:%=$(DESTDIR)$(PROVIDERDIR)/libmlx5-rdmav%.so); fi

# The same in a folder of its own, which may be moved: its files find each other.
dist: override DESTDIR =
dist: override PREFIX = $(DIST)
dist: override LIBDIR = $(DIST)/lib
dist: override INCLUDEDIR = $(DIST)/include
dist: override BINDIR = $(DIST)/bin
dist: PC_PREFIX = $${pcfiledir}/../..
dist: PC_LIBDIR = $${prefix}/lib
dist: PC_INCLUDEDIR = $${prefix}/include
dist: WITH_LIBDIR = $${here%/*}/lib
dist: $(LIB)
	rm -rf $(DIST)
	$(place)
	echo "$(DIST): the drop-in folder; run a program with $(DIST)/bin/with-mlx5"
.SILENT: dist

clean:
	$(CARGO) clean

help:
	@sed -n 's/^#   /  /p' Makefile
