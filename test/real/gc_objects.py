# Stage: test. A program with many small objects that live, whose collector looks at all of them several times.
import gc
import json

records = [{'name': str(i), 'values': [i, [i + 1]]} for i in range(6000)]
text = json.dumps(records)
assert json.loads(text) == records
for _ in range(8):
    gc.collect()
print(len(text), gc.get_count()[2])
