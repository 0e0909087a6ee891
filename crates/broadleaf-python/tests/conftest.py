"""What tests share."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# A check must fail for a change, not for its luck, nor for a slow machine.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.load_profile("fixed")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)
