"""Settings for the laws: no deadlines, since machines are shared."""

from hypothesis import HealthCheck, settings

settings.register_profile("protocol", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("protocol")
