// Stage: HTML page. Who serves references, in few words.

export { SERVER_WORDS as SERVER_NAMES } from '../src/views/server-words.js';
