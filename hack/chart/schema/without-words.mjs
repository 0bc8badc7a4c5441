// Writes a schema without its descriptions, which are two thirds of it and check nothing.
import { readFileSync, writeFileSync } from 'node:fs';

const [from, to] = process.argv.slice(2);

// A description is text; a property of that name is a schema.
const isWords = (key, value) =>
  (key === 'description' && typeof value === 'string') || (key === 'deprecated' && typeof value !== 'object');

const schema = JSON.parse(readFileSync(from, 'utf8'), function (key, value) {
  return isWords(key, value) ? undefined : value;
});
writeFileSync(to, JSON.stringify(schema, null, 1) + '\n');
