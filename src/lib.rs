//! `libmlx5.so.1`: the mlx5 verbs provider and the mlx5dv API.
