from lowdim.sparse.bases.gabor import gabor_atom as gabor_atom
from lowdim.sparse.bases.making import basis as basis
from lowdim.sparse.bases.operator import Basis as Basis
from lowdim.sparse.bases.union import union as union
from lowdim.sparse.compression.choosing import choose_basis as choose_basis
from lowdim.sparse.compression.compressed import Compressed as Compressed
from lowdim.sparse.compression.compressing import compress as compress
from lowdim.sparse.compression.curves import RateDistortion as RateDistortion
from lowdim.sparse.compression.curves import rate_distortion as rate_distortion
from lowdim.sparse.denoising.denoising import Denoised as Denoised
from lowdim.sparse.denoising.denoising import denoise as denoise
from lowdim.sparse.dictionary.estimator import DictionaryLearning as DictionaryLearning
from lowdim.sparse.dictionary.functions import dict_learning as dict_learning
from lowdim.sparse.dictionary.functions import dict_learning_online as dict_learning_online
from lowdim.sparse.dictionary.ksvd import KSVD as KSVD
from lowdim.sparse.dictionary.minibatch import (
    MiniBatchDictionaryLearning as MiniBatchDictionaryLearning,
)
from lowdim.sparse.inpainting.inpainting import inpaint as inpaint
from lowdim.sparse.min_l1.problem import BasisPursuit as BasisPursuit
from lowdim.sparse.min_l1.solve import basis_pursuit as basis_pursuit
from lowdim.sparse.pictures.quality import psnr as psnr
from lowdim.sparse.pictures.quality import ssim as ssim
from lowdim.sparse.promises.null_space import NullSpaceProperty as NullSpaceProperty
from lowdim.sparse.promises.null_space import null_space_property as null_space_property
from lowdim.sparse.promises.products import babel as babel
from lowdim.sparse.promises.products import coherence as coherence
from lowdim.sparse.promises.products import welch_bound as welch_bound
from lowdim.sparse.promises.summary import Guarantees as Guarantees
from lowdim.sparse.promises.summary import guarantees as guarantees
from lowdim.sparse.promises.supports import RIP as RIP
from lowdim.sparse.promises.supports import Sparsest as Sparsest
from lowdim.sparse.promises.supports import rip as rip
from lowdim.sparse.promises.supports import spark as spark
from lowdim.sparse.promises.supports import sparsest as sparsest
from lowdim.sparse.pursuit.coder import SparseCoder as SparseCoder
from lowdim.sparse.pursuit.encoding import sparse_encode as sparse_encode
from lowdim.sparse.pursuit.orthogonal_mp import orthogonal_mp as orthogonal_mp
from lowdim.sparse.pursuit.orthogonal_mp import orthogonal_mp_gram as orthogonal_mp_gram
from lowdim.sparse.pursuit.regression import (
    OrthogonalMatchingPursuit as OrthogonalMatchingPursuit,
)
from lowdim.sparse.pursuit.regression import (
    OrthogonalMatchingPursuitCV as OrthogonalMatchingPursuitCV,
)
from lowdim.sparse.sensing import CompressiveSensing as CompressiveSensing
from lowdim.sparse.sensing.measuring import Measurement as Measurement
from lowdim.sparse.sensing.measuring import measurement as measurement
from lowdim.sparse.sensing.needed import measurements_needed as measurements_needed
from lowdim.sparse.sensing.phases import PhaseTransition as PhaseTransition
from lowdim.sparse.sensing.phases import phase_transition as phase_transition
from lowdim.sparse.sensing.separation import separate as separate
