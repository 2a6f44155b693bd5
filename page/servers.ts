// Stage: HTML page. The servers of references, in few words.

export { SERVER_WORDS as SERVER_NAMES } from '../src/views/server-words.js';
