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


def all_of(loaded):
    libbpf.bpf_object__next_program.restype = ctypes.c_void_p
    program = libbpf.bpf_object__next_program(loaded, None)
    while program:
        yield ctypes.c_void_p(program)
        program = libbpf.bpf_object__next_program(loaded, ctypes.c_void_p(program))


def programs_of(path, prog_type=None, function=None, name=None):
    """Loads all programs of an object file, or the one of a name; as of a type (BPF_PROG_TYPE_*) or for a function, if that
    is given."""
    libbpf.bpf_program__name.restype = ctypes.c_char_p
    loaded, programs = call("bpf_object__open_file", path.encode(), None), []
    for program in all_of(loaded):
        if name and libbpf.bpf_program__name(program).decode() != name:
            libbpf.bpf_program__set_autoload(program, False)
            continue
        if prog_type is not None:
            libbpf.bpf_program__set_type(program, prog_type)
        if function and libbpf.bpf_program__set_attach_target(program, 0, function.encode()):
            raise failure("bpf_program__set_attach_target")
        programs.append(program)
    if libbpf.bpf_object__load(loaded):
        raise failure("bpf_object__load")
    return programs
