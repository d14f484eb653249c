"""Where named tuples live today that model files and checkpoints know under an earlier name.

A file holds the name of the module in which a tuple was defined when it was written. Whoever moves
or renames a named tuple that a file may hold adds a line here; lines never go away.
"""

_NAMES = {  # beneath lowdim: then, now
    "cluster.gaussian_mixture.Mixture": "mixture.gaussian.em.GaussianParams",
    "cluster.kmeans_assignment.Sums": "cluster.kmeans.assignment.Sums",
    "cluster.lloyd.State": "cluster.kmeans.lloyd.State",
    "cluster.mixture_em.Mixture": "mixture.finite.em.FiniteParams",
    "cluster.mixture_em.Sums": "mixture.finite.em.Sums",
    "cluster.mixture_parts.Part": "mixture.finite.parts.Part",
    "completion.als.Factors": "completion.als.half_steps.Alternation",
    "completion.gradient.Moving": "completion.gradient.DescentState",
    "completion.soft_impute.OnPath": "completion.soft_impute.PathPoint",
    "completion.svp.Located": "completion.svp.LowRankFit",
    "completion.svt.Dual": "completion.svt.DualState",
    "linear.autoencoder.Descent": "linear.autoencoder.descent.Descent",
    "linear.autoencoder.Learned": "linear.autoencoder.layers.Learned",
    "linear.autoencoder.Weights": "linear.autoencoder.layers.Weights",
    "linear.factor_analysis.EMParams": "linear.factor_analysis.em.EMParams",
    "linear.factor_analysis.NewtonParams": "linear.factor_analysis.newton.NewtonParams",
    "linear.ica.Ascent": "linear.ica.likelihood.Ascent",
    "linear.ica.Search": "linear.ica.picard.RotationSearch",
    "linear.ica.Unmixing": "linear.ica.fixed_point.Unmixing",
    "linear.missing.FactorModel": "linear.missing.model.FactorModel",
    "linear.missing.Search": "linear.missing.search.EMSearch",
    "linear.missing.Sums": "linear.missing.em.Sums",
    "linear.mixture_of_factor_analyzers.Mixture": "mixture.factor_analyzers.FactorAnalyzersParams",
    "linear.pca_online.LearnedMoments": "linear.pca.online.LearnedMoments",
    "linear.pca_online.LearnedOja": "linear.pca.online.LearnedOja",
    "linear.pca_online.LearnedSketch": "linear.pca.online.LearnedSketch",
    "linear.pca_solvers.EMParams": "linear.pca.iterative.EMParams",
    "linear.pca_solvers.OjaParams": "linear.pca.oja.OjaParams",
    "mixture.factor_analyzers.Mixture": "mixture.factor_analyzers.FactorAnalyzersParams",
    "mixture.finite.em.Mixture": "mixture.finite.em.FiniteParams",
    "mixture.gaussian.estimator.Mixture": "mixture.gaussian.em.GaussianParams",
    "tables.frames.dtypes.Dtype": "tables.frames.dtype_names.Dtype",
    "text.topics.plsa.PLSAParams": "text.topics.coordinates.PLSAParams",
}
EARLIER_NAMES = {f"lowdim.{then}": f"lowdim.{now}" for then, now in _NAMES.items()}
