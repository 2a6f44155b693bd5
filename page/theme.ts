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
  const before = remembered();
  let chosen = before === 'dark' || before === 'light' ? before : undefined;
  const isDark = (): boolean => (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const toggle = button(
    '',
    () => {
      chosen = isDark() ? 'light' : 'dark';
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // It lasts as long as the page is open.
      }
      say();
    },
    { class: 'quiet theme' },
  );
  const say = (): void => {
    root.dataset.theme = isDark() ? 'dark' : 'light';
    toggle.textContent = isDark() ? 'Light' : 'Dark';
    toggle.setAttribute('aria-label', isDark() ? 'Change to light colours' : 'Change to dark colours');
  };
  system.addEventListener('change', say);
  say();
  return toggle;
}
