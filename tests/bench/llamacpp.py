"""How long llama.cpp takes to read so many tokens of a prompt, or one token after a prompt, as it
does for each that it writes. Prints the median in seconds and the largest memory in bytes; nothing
if it is not installed.

    llamacpp.py FILE.gguf THREADS TOKENS

Without arguments it prints 1 1 if it is installed.
"""
import resource
import sys
import time

try:
    import llama_cpp
except ImportError:
    sys.exit(0)


def main():
    file, threads, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    model = llama_cpp.Llama(file, n_ctx=1024, n_batch=count, n_threads=threads,
                            n_threads_batch=threads, verbose=False)
    times = []
    for i in range(4 if count > 1 else 120):
        if count > 1:
            model.reset()
        before = time.perf_counter()
        model.eval([2 + j % 1000 for j in range(i, i + count)])
        times.append(time.perf_counter() - before)
    times = sorted(times[1:])
    print(times[len(times) // 2], 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(1, 1)
    else:
        main()
