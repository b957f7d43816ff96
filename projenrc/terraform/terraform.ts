import { mkdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { FOLDER, argumentPages } from './arguments';
import { indexPages } from './page';

const DOCS = join(__dirname, '..', '..', 'docs');

// pages of resources that are gone
rmSync(join(DOCS, FOLDER), { recursive: true, force: true });
mkdirSync(join(DOCS, FOLDER));
for (const [page, text] of [...indexPages(), ...argumentPages()]) {
  writeFileSync(join(DOCS, page), text);
}
