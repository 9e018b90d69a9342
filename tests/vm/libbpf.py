"""libbpf, for tests that run BPF programs of their own."""
import ctypes

libbpf = ctypes.CDLL("libbpf.so.1", use_errno=True)


def failure(name):
    return OSError(ctypes.get_errno(), name)


def call(name, *arguments):
    """A function that returns a pointer; NULL is a failure."""
    function = getattr(libbpf, name)
    function.restype = ctypes.c_void_p
    pointer = function(*arguments)
    if not pointer:
        raise failure(name)
    return ctypes.c_void_p(pointer)


def programs_of(path, prog_type=None, function=None):
    """Those of an object file, which is loaded: all of one type (BPF_PROG_TYPE_*) or for one function, if that is given."""
    loaded, programs = call("bpf_object__open_file", path.encode(), None), []
    libbpf.bpf_object__next_program.restype = ctypes.c_void_p
    program = libbpf.bpf_object__next_program(loaded, None)
    while program:
        programs.append(ctypes.c_void_p(program))
        if prog_type is not None:
            libbpf.bpf_program__set_type(programs[-1], prog_type)
        if function and libbpf.bpf_program__set_attach_target(programs[-1], 0, function.encode()):
            raise failure("bpf_program__set_attach_target")
        program = libbpf.bpf_object__next_program(loaded, programs[-1])
    if libbpf.bpf_object__load(loaded):
        raise failure("bpf_object__load")
    return programs
