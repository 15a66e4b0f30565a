"""Learning algorithms of the benchmark beside `train.ppo`."""
