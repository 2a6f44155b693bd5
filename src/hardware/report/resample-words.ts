// Stage: validation -> text. Words for what samplers draw and how far off they are: the terminal and the page spell
// them alike.

import type { SamplerReport } from '../validate/resample.js';
import type { Measure } from '../validate/sampled-shares.js';
import { STORE_PERIODS } from '../validate/samplers.js';
import { formatCount } from '../../base/format-number.js';

export const MEASURE_TEXT: Readonly<Record<Measure, string>> = {
  references: 'references',
  misses: 'L1 misses',
  cycles: 'estimated cycles',
  transfers: 'transfers between cores',
};

export function describeDraws({ loadsOnly, byLatency, skids, storesApart }: SamplerReport, skid: number): string {
  return (
    `${loadsOnly ? 'loads' : 'accesses'}, ${byLatency ? 'by their latency' : 'alike'}` +
    `${skids ? `, ${formatCount(skid)} instructions late` : ''}` +
    `${storesApart ? `, stores at ${STORE_PERIODS} times the period` : ''}`
  );
}

export function describeEvents({ events, byLatency, loadsOnly }: SamplerReport): string {
  return `${formatCount(Math.round(events))} ${byLatency ? 'cycles' : loadsOnly ? 'loads' : 'accesses'}`;
}

export const formatPeriod = (period: number): string =>
  period < 100 && !Number.isInteger(period) ? period.toFixed(1) : formatCount(Math.round(period));

export const points = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
