"""Writes sequential.json, the numbers that TestSequentialAgreesWithOthers compares with.

    python3 sequential.py > sequential.json

The boundary with a known variance is that of confseq 0.0.11 (Howard and others). The radius of the t form comes from no
package: it is where the ratio of the densities of t with the mixture of effects and without, both by numeric
integration from the normal and the chi-square distribution alone, is 1/alpha.
"""
import json
import math

import numpy as np
from scipy import optimize, stats

# That of confseq; its boundaries.cpp alone is enough: confseq.boundaries, or boundaries when built by hand.
try:
    from confseq.boundaries import normal_mixture_bound
except ImportError:
    from boundaries import normal_mixture_bound


def ratio(t, n, nu, g):
    """Of the densities of t: that of the mixture over that without an effect, both but for the same constant."""
    # t is (z + shift) / s: z is normal, nu*s*s of chi-square with nu degrees of freedom, and the shift normal with a
    # variance of n*g. Sums at equal distances are as good as exact for what is smooth and vanishes at both ends.
    s = np.linspace(0.002, 3, 1500)
    shift = np.linspace(-12 * max(1, math.sqrt(n * g)), 12 * max(1, math.sqrt(n * g)) + 2 * t, 400)
    scale = nu * np.log(s) - nu * s * s / 2 + nu / 2
    kept = scale > -700
    s, scale = s[kept], np.exp(scale[kept])
    prior = stats.norm.pdf(shift, scale=math.sqrt(n * g)) * (shift[1] - shift[0])
    mixed = stats.norm.pdf(t * s[:, None] - shift[None, :]) @ prior
    return (scale @ mixed) / (scale @ stats.norm.pdf(t * s))


def radius(n, nu, alpha, g):
    return optimize.brentq(lambda t: math.log(ratio(t, n, nu, g) * alpha), 1, 15, xtol=1e-9)


def mixed_radius(n, nu, alpha, large_share, g, large):
    """Of a mixture of two parts: effects of a variance of g, and a share of them of a large one."""
    def evidence(t):
        return (1 - large_share) * ratio(t, n, nu, g) + large_share * ratio(t, n, nu, large)
    return optimize.brentq(lambda t: math.log(evidence(t) * alpha), 1, 15, xtol=1e-9)


def narrowest(n, alpha):
    """The smallest radius over all g, which is flat around its g."""
    found = optimize.minimize_scalar(
        lambda logarithm: radius(n, n - 1, alpha, math.exp(logarithm)), bounds=(-5, 1), method="bounded",
        options={"xatol": 1e-2},
    )
    return found.fun


t_form = [
    [n, nu, alpha, g, radius(n, nu, alpha, g)]
    for n, nu, alpha, g in [
        (8, 7, 0.05, 0.4), (20, 19, 0.05, 0.1), (20, 19, 0.05, 1), (66, 65, 0.05, 0.1),
        (66, 65, 0.005, 0.1), (66, 30, 0.05, 0.1), (200, 199, 0.01, 0.05),
    ]
]
mixed = [
    [n, nu, alpha, large_share, g, large, mixed_radius(n, nu, alpha, large_share, g, large)]
    for n, nu, alpha, large_share, g, large in [
        (8, 7, 0.05, 0.1, 0.09, 2), (20, 9, 0.05, 0.1, 0.09, 2), (20, 19, 0.05, 0.5, 0.1, 1),
        (66, 30, 0.005, 0.1, 0.14, 5), (200, 199, 0.01, 0.2, 0.05, 2),
    ]
]
smallest = [[n, alpha, narrowest(n, alpha)] for n, alpha in [(30, 0.05), (100, 0.05), (100, 0.005)]]
known = []
for n, alpha, narrowest_at in [(10, 0.05, 100), (100, 0.05, 100), (1000, 0.01, 60), (66, 0.005, 100)]:
    bound = float(normal_mixture_bound(float(n), alpha, float(narrowest_at), alpha, False))
    # confseq tells the boundary and not its rho, which is by its documentation this.
    rho = narrowest_at / (2 * math.log(1 / alpha) + math.log(1 + 2 * math.log(1 / alpha)))
    known.append([n, alpha, 1 / rho, bound / math.sqrt(n)])


def rows(cases):
    return "[\n" + ",\n".join("    " + json.dumps(case) for case in cases) + "\n  ]"


print(f"""{{
  "tForm": {rows(t_form)},
  "mixed": {rows(mixed)},
  "narrowest": {rows(smallest)},
  "knownVariance": {rows(known)}
}}""")
