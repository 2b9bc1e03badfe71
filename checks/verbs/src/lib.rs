//! Holds the `ibv_*` types of `src/abi/verbs` to the verbs headers that are installed, through
//! the bindings that `rdma-sys` makes of them with libclang. `checks` compares the same types
//! with the tables; this is a second, independent source. A crate of its own, because nothing
//! else in the workspace needs libclang.
