"""The algorithms that learn, beside the PPO of `train.learning`: each is a function of an experiment."""
