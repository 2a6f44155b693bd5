// Stage: views -> text. One report: the run, then each view as a table with its notes, then the typing ledger and what
// the numbers cover.

import type { AnyView, ViewName } from '../views/views.js';
import type { AddressSet } from '../views/address-set.js';
import type { DataFlow } from '../views/data-flow.js';
import type { DataProfile } from '../views/data-profile.js';
import type { Functions } from '../views/functions.js';
import type { ClassifiedRow } from '../views/miss-classification.js';
import type { PathTraces } from '../views/path-traces.js';
import type { Schedules } from '../views/schedules.js';
import type { Locks } from '../views/locks.js';
import type { SharedVariables } from '../views/shared-variables.js';
import type { Sharing } from '../views/sharing.js';
import type { StructLayout } from '../views/struct-layout.js';
import type { TakerView } from '../views/takers.js';
import type { UnusedBytes } from '../views/unused-bytes.js';
import type { View } from '../views/view.js';
import type { WorkingSet } from '../views/working-set.js';
import { addressSetSection } from './address-set-text.js';
import { dataFlowSection } from './data-flow-text.js';
import { dataProfileSection } from './data-profile-text.js';
import { functionsSection } from './functions-text.js';
import { ledgerTable } from './ledger-text.js';
import { locksSection } from './locks-text.js';
import { missClassificationSection } from './miss-classification-text.js';
import { pathTracesSection } from './path-traces-text.js';
import { coverageLines, runLines } from './run-lines.js';
import { renderLabelled, wrap } from './text-lines.js';
import { sampledAddressSet, sampledPathTraces, sampledWorkingSet } from './sampled-flow-text.js';
import { sampledCoverageLines, sampledRunLines } from './sampled-lines.js';
import { sampledDataProfile, sampledFunctions, sampledMissClassification } from './sampled-tables.js';
import { schedulesSection } from './schedules-text.js';
import { sharedVariablesSection } from './shared-variables-text.js';
import { sharingSection } from './sharing-text.js';
import { structLayoutSection } from './struct-layout-text.js';
import { takersSection } from './takers-text.js';
import { unusedBytesSection } from './unused-bytes-text.js';
import { workingSetSection } from './working-set-text.js';
import type { TextStyle } from './text-style.js';

export interface TextSection {
  readonly title: string;
  readonly body: string;
  /** What the columns mean, by heading; "" is for all. */
  readonly notes: readonly (readonly [heading: string, meaning: string])[];
}

/** What reads otherwise where numbers are estimates. */
const sampledSections: Partial<Record<ViewName, (view: AnyView, top: number, width: number) => TextSection>> = {
  'data-profile': (view, top, width) => sampledDataProfile(view as DataProfile, top, width),
  'miss-classification': (view, top, width) => sampledMissClassification(view as View<ClassifiedRow>, top, width),
  functions: (view, top, width) => sampledFunctions(view as Functions, top, width),
  'address-set': (view, top, width) => sampledAddressSet(view as AddressSet, top, width),
  'working-set': (view, top, width) => sampledWorkingSet(view as WorkingSet, top, width),
  'path-traces': (view, top, width) => sampledPathTraces(view as PathTraces, top, width),
};

const sections: Record<ViewName, (view: AnyView, top: number, width: number) => TextSection> = {
  'data-profile': (view, top, width) => dataProfileSection(view as DataProfile, top, width),
  'miss-classification': (view, top, width) => missClassificationSection(view as View<ClassifiedRow>, top, width),
  functions: (view, top, width) => functionsSection(view as Functions, top, width),
  sharing: (view, top, width) => sharingSection(view as Sharing, top, width),
  'address-set': (view, top, width) => addressSetSection(view as AddressSet, top, width),
  evictions: (view, top, width) => takersSection(view as TakerView, 'evictions', top, width),
  invalidations: (view, top, width) => takersSection(view as TakerView, 'invalidations', top, width),
  'unused-bytes': (view, top, width) => unusedBytesSection(view as UnusedBytes, top, width),
  'struct-layout': (view, top, width) => structLayoutSection(view as StructLayout, top, width),
  'working-set': (view, top, width) => workingSetSection(view as WorkingSet, top, width),
  'path-traces': (view, top, width) => pathTracesSection(view as PathTraces, top, width),
  'data-flow': (view, top, width) => dataFlowSection(view as DataFlow, top, width),
  locks: (view, top, width) => locksSection(view as Locks, top, width),
  'shared-variables': (view, top, width) => sharedVariablesSection(view as SharedVariables, top, width),
  schedules: (view, top, width) => schedulesSection(view as Schedules, top, width),
};

export interface TextOptions {
  /** Rows per view (types, in miss classification; of each level, where lines leave). */
  readonly top: number;
  readonly style: TextStyle;
}

/** All views are of one profile. */
export function renderText(views: ReadonlyMap<ViewName, AnyView>, { top, style }: TextOptions): string {
  const [first] = views.values();
  const { sampled } = first;
  const parts = [
    renderLabelled(
      sampled === undefined ? runLines(first, style.width) : sampledRunLines(first, sampled, style.width),
      style.width,
    ),
  ];
  for (const [name, view] of views) {
    const { title, body, notes } = ((sampled === undefined ? undefined : sampledSections[name]) ?? sections[name])(
      view,
      top,
      style.width,
    );
    parts.push(
      [...wrap(title, style.width).map(style.strong), body, style.faint(renderNotes(notes, body, style.width))].join(
        '\n',
      ),
    );
  }
  parts.push(
    ledgerTable(first, style.width),
    renderLabelled(sampled === undefined ? coverageLines(first) : sampledCoverageLines(first, sampled), style.width),
  );
  return `${parts.join('\n\n')}\n`;
}

/** Only of columns that the width left standing. */
function renderNotes(notes: TextSection['notes'], body: string, width: number): string {
  const headings = body.slice(0, body.indexOf('\n')).split(/ {2,}/);
  const shown = notes.filter(([heading]) => heading === '' || headings.includes(heading));
  return wrap(
    shown.map(([heading, meaning]) => (heading === '' ? meaning : `${heading}: ${meaning}`)).join(' '),
    width - 2,
  )
    .map((line) => `  ${line}`)
    .join('\n');
}
