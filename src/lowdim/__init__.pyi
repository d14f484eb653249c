from lowdim import datasets as datasets
from lowdim import deep as deep
from lowdim import linalg as linalg
from lowdim import plots as plots
from lowdim import sparse as sparse
from lowdim import tables as tables
from lowdim import text as text
from lowdim._version import __version__ as __version__
from lowdim.cluster.coreset import coreset as coreset
from lowdim.cluster.kmeans import KMeans as KMeans
from lowdim.cluster.quality import silhouette as silhouette
from lowdim.completion.als import ALS as ALS
from lowdim.completion.entries import Entries as Entries
from lowdim.completion.gradient import GradientFactorization as GradientFactorization
from lowdim.completion.iterative_svd import IterativeSVD as IterativeSVD
from lowdim.completion.recommender import Recommender as Recommender
from lowdim.completion.recoverability import recoverability as recoverability
from lowdim.completion.soft_impute import SoftImpute as SoftImpute
from lowdim.completion.svp import SVP as SVP
from lowdim.completion.svt import SVT as SVT
from lowdim.core.config import config_context as config_context
from lowdim.core.config import get_config as get_config
from lowdim.core.config import set_config as set_config
from lowdim.core.persistence import LoadError as LoadError
from lowdim.core.persistence import load as load
from lowdim.core.session import CheckpointError as CheckpointError
from lowdim.deep.autoencoder import Autoencoder as Autoencoder
from lowdim.deep.cnn.classifier import CNNClassifier as CNNClassifier
from lowdim.deep.cnn.regressor import CNNRegressor as CNNRegressor
from lowdim.deep.diffusion import Diffusion as Diffusion
from lowdim.deep.flow import NormalizingFlow as NormalizingFlow
from lowdim.deep.gan import GAN as GAN
from lowdim.deep.mlp.classifier import MLPClassifier as MLPClassifier
from lowdim.deep.mlp.regressor import MLPRegressor as MLPRegressor
from lowdim.deep.pixelcnn import PixelCNN as PixelCNN
from lowdim.deep.transformer import CausalTransformer as CausalTransformer
from lowdim.deep.vae import DLGM as DLGM
from lowdim.deep.vae import VAE as VAE
from lowdim.linear.autoencoder import LinearAutoencoder as LinearAutoencoder
from lowdim.linear.factor_analysis import FactorAnalysis as FactorAnalysis
from lowdim.linear.ica import FastICA as FastICA
from lowdim.linear.ica import amari_distance as amari_distance
from lowdim.linear.nmf import NMF as NMF
from lowdim.linear.nmf import MiniBatchNMF as MiniBatchNMF
from lowdim.linear.nmf import non_negative_factorization as non_negative_factorization
from lowdim.linear.online_regression import OnlineRegression as OnlineRegression
from lowdim.linear.pca import PCA as PCA
from lowdim.linear.ppca import ProbabilisticPCA as ProbabilisticPCA
from lowdim.linear.rotation import rotate as rotate
from lowdim.linear.truncated_svd import TruncatedSVD as TruncatedSVD
from lowdim.maps.classical import ClassicalMDS as ClassicalMDS
from lowdim.maps.dissimilarity import check_dissimilarity as check_dissimilarity
from lowdim.maps.dissimilarity import dissimilarity as dissimilarity
from lowdim.maps.mds import MDS as MDS
from lowdim.maps.mds import smacof as smacof
from lowdim.maps.neighbors import neighbors as neighbors
from lowdim.maps.quality import MapQuality as MapQuality
from lowdim.maps.quality import Shepard as Shepard
from lowdim.maps.quality import continuity as continuity
from lowdim.maps.quality import map_quality as map_quality
from lowdim.maps.quality import neighborhood_recall as neighborhood_recall
from lowdim.maps.quality import shepard as shepard
from lowdim.maps.quality import trustworthiness as trustworthiness
from lowdim.maps.sammon import Sammon as Sammon
from lowdim.maps.sne import SNE as SNE
from lowdim.maps.sne import SymmetricSNE as SymmetricSNE
from lowdim.maps.stress import stress as stress
from lowdim.maps.tsne import TSNE as TSNE
from lowdim.maps.umap import UMAP as UMAP
from lowdim.mixture.factor_analyzers import (
    MixtureOfFactorAnalyzers as MixtureOfFactorAnalyzers,
)
from lowdim.mixture.finite import MixtureModel as MixtureModel
from lowdim.mixture.gaussian import GaussianMixture as GaussianMixture
from lowdim.mixture.mixed import MixedMixture as MixedMixture
from lowdim.registry import methods as methods
from lowdim.report.explore.report import explore as explore
from lowdim.report.generate.report import sample_page as sample_page
from lowdim.report.maps.report import map_table as map_table
from lowdim.report.pictures.report import picture_page as picture_page
from lowdim.report.topics.report import topics as topics
from lowdim.report.words.report import words as words
from lowdim.selection.clusters import choose_k as choose_k
from lowdim.selection.compare import compare as compare
from lowdim.selection.rank import choose_rank as choose_rank
from lowdim.selection.samples import SampleQuality as SampleQuality
from lowdim.selection.samples import sample_quality as sample_quality
from lowdim.selection.search import CompletionSearch as CompletionSearch
from lowdim.selection.topic_model import TopicModel as TopicModel
from lowdim.selection.topics import choose_topics as choose_topics
from lowdim.sparse.compression.compressed import Compressed as Compressed
from lowdim.sparse.compression.compressing import compress as compress
from lowdim.sparse.denoising.denoising import denoise as denoise
from lowdim.sparse.dictionary.estimator import DictionaryLearning as DictionaryLearning
from lowdim.sparse.dictionary.functions import dict_learning as dict_learning
from lowdim.sparse.dictionary.functions import dict_learning_online as dict_learning_online
from lowdim.sparse.dictionary.ksvd import KSVD as KSVD
from lowdim.sparse.dictionary.minibatch import (
    MiniBatchDictionaryLearning as MiniBatchDictionaryLearning,
)
from lowdim.sparse.inpainting.inpainting import inpaint as inpaint
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
from lowdim.tables.encoder import TableEncoder as TableEncoder
from lowdim.tables.model import TableModel as TableModel
from lowdim.tables.streaming import stream as stream
from lowdim.text.corpus import corpus as corpus
from lowdim.text.counting import CountVectorizer as CountVectorizer
from lowdim.text.embeddings.glove import GloVe as GloVe
from lowdim.text.embeddings.pmi_vectors import PMIVectors as PMIVectors
from lowdim.text.embeddings.skip_gram import SkipGram as SkipGram
from lowdim.text.embeddings.word2vec import Word2Vec as Word2Vec
from lowdim.text.lsa import LSA as LSA
from lowdim.text.tfidf_models import TfidfTransformer as TfidfTransformer
from lowdim.text.tfidf_models import TfidfVectorizer as TfidfVectorizer
from lowdim.text.topics.lda import LatentDirichletAllocation as LatentDirichletAllocation
from lowdim.text.topics.plsa import PLSA as PLSA
from lowdim.text.vectors import Alignment as Alignment
from lowdim.text.vectors import WordVectors as WordVectors
