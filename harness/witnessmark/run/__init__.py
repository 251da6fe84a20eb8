"""Run a suite over a retriever: plan, sweeps, observations."""
