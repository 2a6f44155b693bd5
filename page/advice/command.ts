// Stage: HTML page. A command to copy.

import { button, element } from '../elements.js';

/** `command` as it may stand in a shell. */
export function commandElement(command: string): HTMLElement {
  const code = element('code', { class: 'name' }, command);
  const said = element('span', { role: 'status' });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      said.textContent = 'copied';
    } catch {
      // A page that was opened from disk may not be allowed to.
      getSelection()?.selectAllChildren(code);
      said.textContent = 'selected';
    }
  };
  return element(
    'p',
    { class: 'command' },
    code,
    button('Copy', () => void copy(), { class: 'quiet' }),
    said,
  );
}
