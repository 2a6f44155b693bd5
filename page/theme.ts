// Stage: HTML page. Light or dark: what the system says, until the reader says otherwise.

import { button } from './elements.js';

const KEY = 'dprof-theme';

/** A file that is opened from disk may not be allowed to remember anything. */
function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function buildThemeSwitch(): HTMLElement {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const isDark = (): boolean => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const before = remembered();
  if (before === 'dark' || before === 'light') root.dataset.theme = before;
  const toggle = button('', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // It lasts as long as the page is open.
    }
    say();
  }, { class: 'quiet theme' });
  const say = (): void => {
    toggle.textContent = isDark() ? 'Light' : 'Dark';
    toggle.setAttribute('aria-label', isDark() ? 'Change to light colours' : 'Change to dark colours');
  };
  system.addEventListener('change', say);
  say();
  return toggle;
}
