from lowdim.deep.gradients import Gradients as Gradients
from lowdim.deep.gradients import Signals as Signals
from lowdim.deep.gradients import gradients as gradients
from lowdim.deep.gradients import jacobian as jacobian
