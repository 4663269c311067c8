inline int host_only() { return 9; }
