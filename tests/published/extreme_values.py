#!/usr/bin/env python3
"""Writes extreme_values.csv: ten samples and what scipy 1.17.1, lmoments3 1.0.8 and pyextremes 2.6.1 (PyPI) make of them.
`pip install scipy lmoments3 pyextremes`, then `extreme_values.py > extreme_values.csv`. Values are rounded to three decimals
before anything is computed. Shapes are xi: scipy's genextreme and lmoments3 have -xi."""
import numpy
import pandas
from lmoments3 import distr, lmom_ratios
from pyextremes import EVA
from scipy import optimize, stats

SAMPLES = [
    ("gumbel", stats.gumbel_r(1000, 25), 60), ("gev-light", stats.genextreme(0.2, 1000, 25), 80),
    ("gev-heavy", stats.genextreme(-0.15, 1000, 25), 120), ("exponential", stats.expon(0, 40), 100),
    ("gpd-light", stats.genpareto(-0.25, 0, 60), 150), ("gpd-heavy", stats.genpareto(0.2, 0, 30), 200),
    ("gamma", stats.gamma(3, 0, 12), 90), ("weibull", stats.weibull_min(1.4, 0, 80), 110),
    ("normal", stats.norm(5000, 7), 70), ("lognormal", stats.lognorm(0.2, 0, 300), 50)]


def polished(distribution, sample, start):
    """The maximum of the likelihood next to what scipy found, to its last digits."""
    def nll(at):
        value = distribution.nnlf(at, sample)
        return value if numpy.isfinite(value) else 1e10
    best = optimize.minimize(nll, start, method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-12, "maxiter": 40000,
                                                                       "maxfev": 40000})
    best = optimize.minimize(nll, best.x, method="Nelder-Mead", options={"xatol": 1e-11, "fatol": 1e-12, "maxiter": 40000,
                                                                        "maxfev": 40000})
    return best.x, best.fun


print("# set,quantity,value")
for number, (name, source, size) in enumerate(SAMPLES):
    x = numpy.round(source.rvs(size, random_state=20261127 + number), 3)
    x = x[x > 0]
    def put(quantity, value):
        print(f"{name},{quantity},{float(value)!r}")
    for value in x:
        put("x", value)
    l1, l2, t3 = lmom_ratios(x, nmom=3)
    put("l1", l1), put("l2", l2), put("t3", t3)
    gumbel = distr.gum.lmom_fit(x)
    put("gumbel-l-location", gumbel["loc"]), put("gumbel-l-scale", gumbel["scale"])
    gev = distr.gev.lmom_fit(x)
    put("gev-l-location", gev["loc"]), put("gev-l-scale", gev["scale"]), put("gev-l-shape", -gev["c"])
    (location, scale), nll = polished(stats.gumbel_r, x, stats.gumbel_r.fit(x))
    put("gumbel-location", location), put("gumbel-scale", scale), put("gumbel-nll", nll)
    (shape, location, scale), nll = polished(stats.genextreme, x, (gev["c"], gev["loc"], gev["scale"]))
    put("gev-location", location), put("gev-scale", scale), put("gev-shape", -shape), put("gev-nll", nll)
    for p in (1e-3, 1e-6, 1e-9):
        put(f"gev-at-{p:g}", stats.genextreme(shape, location, scale).isf(p))
        put(f"gumbel-at-{p:g}", stats.gumbel_r(*polished(stats.gumbel_r, x, stats.gumbel_r.fit(x))[0]).isf(p))
    # Excesses over the value with 60 % of the sample above it.
    threshold = numpy.sort(x)[len(x) - int(0.6 * len(x)) - 1]
    excesses = x[x > threshold] - threshold
    put("threshold", threshold), put("excesses", len(excesses))
    fit = lambda at: stats.genpareto.nnlf((at[0], 0, at[1]), excesses) if at[1] > 0 else 1e10
    best = min((optimize.minimize(lambda at: min(fit(at), 1e10), (start, excesses.mean() * (1 - start)), method="Nelder-Mead",
                                  options={"xatol": 1e-11, "fatol": 1e-12, "maxiter": 40000, "maxfev": 40000})
                for start in (-0.2, 0.0, 0.1)), key=lambda result: result.fun)
    put("gpd-shape", best.x[0]), put("gpd-scale", best.x[1]), put("gpd-nll", best.fun)
    # Hosking's GPD with known lower end, as in lmoments3's formula for two moments.
    e1, e2 = lmom_ratios(excesses, nmom=2)
    put("gpd-l-shape", 2 - e1 / e2), put("gpd-l-scale", (e1 / e2 - 1) * e1)
    put("cv", excesses.std() / excesses.mean())
    # pyextremes: return values of excesses, one run a second; of p per run the period is 1 / p seconds.
    series = pandas.Series(x, index=pandas.date_range("2026-01-01", periods=len(x), freq="s"))
    model = EVA(series)
    model.get_extremes("POT", threshold=threshold, r="0s")
    model.fit_model("MLE", distribution="genpareto", distribution_kwargs={"floc": threshold})
    put("pyextremes-gpd-at-1e-3", model.get_return_value(1000, return_period_size="1s")[0])
