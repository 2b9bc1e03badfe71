//! `docs/matrix.md`: which exports are written, and which programs of `ctest/` use them.
