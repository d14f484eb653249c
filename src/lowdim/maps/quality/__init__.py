"""What a map keeps of its rows: neighbours, ranks, distances, and figures made of them."""

from lowdim.maps.quality.judging import MapQuality as MapQuality
from lowdim.maps.quality.judging import map_quality as map_quality
from lowdim.maps.quality.kept import continuity as continuity
from lowdim.maps.quality.kept import neighborhood_recall as neighborhood_recall
from lowdim.maps.quality.kept import trustworthiness as trustworthiness
from lowdim.maps.quality.shepard import Shepard as Shepard
from lowdim.maps.quality.shepard import shepard as shepard
