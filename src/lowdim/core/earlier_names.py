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
    "lowdim.completion.als.Factors": "lowdim.completion.als.estimator.Factors",
    "lowdim.linear.autoencoder.Descent": "lowdim.linear.autoencoder.descent.Descent",
    "lowdim.linear.autoencoder.Learned": "lowdim.linear.autoencoder.layers.Learned",
    "lowdim.linear.autoencoder.Weights": "lowdim.linear.autoencoder.layers.Weights",
    "lowdim.linear.factor_analysis.EMParams": "lowdim.linear.factor_analysis.em.EMParams",
    "lowdim.linear.factor_analysis.NewtonParams": (
        "lowdim.linear.factor_analysis.newton.NewtonParams"
    ),
    "lowdim.linear.ica.Ascent": "lowdim.linear.ica.likelihood.Ascent",
    "lowdim.linear.ica.Search": "lowdim.linear.ica.picard.RotationSearch",
    "lowdim.linear.ica.Unmixing": "lowdim.linear.ica.fixed_point.Unmixing",
    "lowdim.linear.missing.FactorModel": "lowdim.linear.missing.model.FactorModel",
    "lowdim.linear.missing.Search": "lowdim.linear.missing.search.EMSearch",
    "lowdim.linear.missing.Sums": "lowdim.linear.missing.em.Sums",
    "lowdim.linear.mixture_of_factor_analyzers.Mixture": "lowdim.mixture.factor_analyzers.Mixture",
    "lowdim.linear.pca_online.LearnedMoments": "lowdim.linear.pca.online.LearnedMoments",
    "lowdim.linear.pca_online.LearnedOja": "lowdim.linear.pca.online.LearnedOja",
    "lowdim.linear.pca_online.LearnedSketch": "lowdim.linear.pca.online.LearnedSketch",
    "lowdim.linear.pca_solvers.EMParams": "lowdim.linear.pca.iterative.EMParams",
    "lowdim.linear.pca_solvers.OjaParams": "lowdim.linear.pca.oja.OjaParams",
}
