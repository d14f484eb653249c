"""Networks: trained by one loop, on torch, which is imported when a network is first fitted."""
