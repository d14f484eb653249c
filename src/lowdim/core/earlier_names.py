"""Where named tuples live today that model files and checkpoints know under an earlier name.

A file holds the name of the module in which a tuple was defined when it was written. Whoever moves
or renames a named tuple that a file may hold adds a line here; lines never go away.
"""

EARLIER_NAMES = {
    "lowdim.cluster.gaussian_mixture.Mixture": "lowdim.mixture.gaussian.estimator.Mixture",
    "lowdim.cluster.kmeans_assignment.Sums": "lowdim.cluster.kmeans.assignment.Sums",
    "lowdim.cluster.lloyd.State": "lowdim.cluster.kmeans.lloyd.State",
    "lowdim.cluster.mixture_em.Mixture": "lowdim.mixture.finite.em.Mixture",
    "lowdim.cluster.mixture_em.Sums": "lowdim.mixture.finite.em.Sums",
    "lowdim.cluster.mixture_parts.Part": "lowdim.mixture.finite.parts.Part",
    "lowdim.completion.als.Factors": "lowdim.completion.als.half_steps.Alternation",
    "lowdim.completion.gradient.Moving": "lowdim.completion.gradient.DescentState",
    "lowdim.completion.soft_impute.OnPath": "lowdim.completion.soft_impute.PathPoint",
    "lowdim.completion.svp.Located": "lowdim.completion.svp.LowRankFit",
    "lowdim.completion.svt.Dual": "lowdim.completion.svt.DualState",
    "lowdim.linear.mixture_of_factor_analyzers.Mixture": "lowdim.mixture.factor_analyzers.Mixture",
    "lowdim.linear.pca_online.LearnedMoments": "lowdim.linear.pca.online.LearnedMoments",
    "lowdim.linear.pca_solvers.EMParams": "lowdim.linear.pca.solvers.EMParams",
}
