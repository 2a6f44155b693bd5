# Stage: bench. Blocks, a JSON list of instructions in AT&T's syntax a line -> the cycles that OSACA predicts, a number
# a line, or null where it knows an instruction not: osaca_cycles.py ARCHITECTURE.
import json
import sys

from osaca.osaca import get_asm_parser
from osaca.semantics import ArchSemantics, KernelDG, MachineModel

architecture = sys.argv[1]
parser = get_asm_parser(architecture, "ATT")
model = MachineModel(arch=architecture)
semantics = ArchSemantics(parser, machine_model=model)


def cycles_of(assembly):
    """The busiest port, or the longest dependency from one execution to the next."""
    kernel = parser.parse_file("\n".join(assembly) + "\n")
    semantics.normalize_instruction_forms(kernel)
    semantics.add_semantics(kernel)
    if any("tp_unknown" in (line.flags or []) or "lt_unknown" in (line.flags or []) for line in kernel):
        return None
    semantics.assign_optimal_throughput(kernel)
    graph = KernelDG(kernel, parser, model, semantics, timeout=2)
    chains = [chain["latency"] for chain in graph.get_loopcarried_dependencies().values()]
    return max([*semantics.get_throughput_sum(kernel), *chains])


for text in sys.stdin:
    try:
        print(json.dumps(cycles_of(json.loads(text))), flush=True)
    except Exception:
        print("null", flush=True)
