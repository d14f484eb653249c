from lowdim.deep.derivatives import Gradients as Gradients
from lowdim.deep.derivatives import Signals as Signals
from lowdim.deep.derivatives import gradients as gradients
from lowdim.deep.derivatives import jacobian as jacobian
