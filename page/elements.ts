// Stage: HTML page. Elements of a page, whose text is always text: no markup is ever parsed here.

type Child = Node | string | null;

export interface Attributes {
  /** Set one by one, because the page's policy allows no style attributes. */
  readonly style?: Readonly<Record<string, string>>;
  readonly [name: string]: string | number | boolean | null | Readonly<Record<string, string>> | undefined;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill<Made extends HTMLElement | SVGElement>(
  made: Made,
  { style, ...attributes }: Attributes,
  children: readonly Child[],
): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [name, value] of Object.entries(style ?? {})) made.style.setProperty(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** What may be wider than the page; a keyboard can move it, too. */
export function sideways(label: string, ...wide: readonly HTMLElement[]): HTMLElement {
  return element('div', { class: 'sideways', tabindex: 0, role: 'region', 'aria-label': label }, ...wide);
}

let labels = 0;

/** A choice of one of several, with its label. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  act: (value: string) => void,
): HTMLElement {
  const id = `choice-${labels++}`;
  const select = element(
    'select',
    { id },
    ...options.map(([value, text]) => element('option', { value, selected: value === chosen }, text)),
  );
  select.addEventListener('change', () => act(select.value));
  return element('div', { class: 'control' }, element('label', { for: id }, label), select);
}

/** The head of a table with one row of headings. `isNumber`: of a heading's place. */
export function tableHead(headings: readonly string[], isNumber: (index: number) => boolean): HTMLElement {
  const cells = headings.map((heading, index) =>
    element('th', { scope: 'col', class: isNumber(index) ? 'number' : undefined }, heading),
  );
  return element('thead', {}, element('tr', {}, ...cells));
}
