"""A page about a picture: before and after with a slider, what it cost, the atoms it is made of.

report     `picture_page` and what it returns
encoded    pictures as PNG in the page
figures    the curve of PSNR by bytes, and how pixels changed
page       sections in the shell of `lowdim.report.page`
js/        the slider
"""

from lowdim.report.pictures.report import PicturePage, picture_page

__all__ = ["PicturePage", "picture_page"]
