// Stage: test. FANN's source -> the same with the values of neurons in an array of their own, as
// `dprof what-if --split 'struct fann_neuron: value | *'` has them.

import type { Edit } from './changed-programs.js';

/** Each pattern must be there. */
function replaced(source: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((text, [pattern, by]) => {
    const after = text.replace(pattern, by);
    if (after === text) throw new Error(`FANN: no ${pattern.source} in the source`);
    return after;
  }, source);
}

const OF_NEURON = '\n#define VALUE_OF(neuron) (ann->values[(neuron) - ann->first_layer->first_neuron])\n';

export const FANN_VALUES: readonly Edit[] = [
  {
    file: 'source/src/include/fann_data.h',
    change: (source) =>
      replaced(source, [
        [/fann_type value;/, ''],
        [/struct fann\s*\{/, '$&\n\tfann_type *values;'],
      ]),
  },
  {
    file: 'source/src/fann.c',
    change: (source) =>
      replaced(source, [
        [/#include "fann\.h"\n/, `$&${OF_NEURON}`],
        [/\*last_neuron, \*neurons, \*\*neuron_pointers;/, '$& fann_type *values;'],
        [/first_neuron\[i\]\.value/g, 'ann->values[i]'],
        [/\(ann->first_layer->last_neuron - 1\)->value/g, 'VALUE_OF(ann->first_layer->last_neuron - 1)'],
        [/\/\* unrolled loop start \*\//, 'values = ann->values + (neurons - ann->first_layer->first_neuron);'],
        [/neurons = \(ann->last_layer - 1\)->first_neuron;/, '$& values = &VALUE_OF(neurons);'],
        [/neurons\[([^\]]+)\]\.value/g, 'values[$1]'],
        [/neuron_pointers\[([^\]]+)\]->value/g, 'VALUE_OF(neuron_pointers[$1])'],
        [/neuron_it->value/g, 'VALUE_OF(neuron_it)'],
        [
          /neurons = \(struct fann_neuron \*\) calloc/,
          'ann->values = calloc(ann->total_neurons, sizeof(fann_type));\n\t$&',
        ],
      ]),
  },
  {
    file: 'source/src/fann_train.c',
    change: (source) =>
      replaced(source, [
        [/last_layer_begin->value/, 'VALUE_OF(last_layer_begin)'],
        [/neuron_it->value/g, 'VALUE_OF(neuron_it)'],
        [/fann_type tmp_error, delta_w, \*weights;/, 'fann_type tmp_error, delta_w, *weights, *prev_values;'],
        [
          /tmp_error = error_begin\[neuron_it - first_neuron\] \* learning_rate;/g,
          '$& prev_values = &VALUE_OF(prev_neurons);',
        ],
        [/prev_neurons\[i\]\.value \+/g, 'prev_values[i] +'],
        [/prev_neurons\[i\]\.value/g, 'VALUE_OF(prev_neurons + i)'],
        [/connections\[i\]->value/g, 'VALUE_OF(connections[i])'],
      ]),
  },
  {
    file: 'source/src/fann_cascade.c',
    change: (source) =>
      replaced(source, [
        [/neurons\[([^\]]+)\]\.value/g, 'VALUE_OF(neurons + $1)'],
        [/cand_it->value/g, 'VALUE_OF(cand_it)'],
        [/neuron_place->value/g, 'VALUE_OF(neuron_place)'],
      ]),
  },
];
