// Stage: HTML page. The definition of a page: a name, the views that it needs, and the content that it makes of them.

import type { Report } from '../report.js';

export interface PageContext {
  readonly report: Report;
  /** The parameters in the address, behind the page's name. */
  readonly words: URLSearchParams;
  /** The same page with other words. */
  readonly go: (words: Readonly<Record<string, string>>) => void;
  /** Pages that this report has. */
  readonly pages: readonly string[];
}

export interface PageDefinition {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** It is there if the report has one of them. */
  readonly needs: readonly string[];
  readonly render: (context: PageContext) => Promise<readonly Node[]>;
}
