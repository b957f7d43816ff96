import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { DRAWINGS, SCENES, shotOf, svgOfDrawing } from './scenes';
import { svgOf } from './svg';

/** The folder of the pictures. */
const PICTURES = join(__dirname, '..', '..', 'docs', 'pictures');

async function write(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const file of readdirSync(PICTURES)) {
    rmSync(join(PICTURES, file));
  }
  for (const scene of SCENES) {
    writeFileSync(join(PICTURES, `${scene.name}.svg`), svgOf(scene.title, await shotOf(scene)));
  }
  for (const drawing of DRAWINGS) {
    writeFileSync(join(PICTURES, `${drawing.name}.svg`), svgOfDrawing(drawing));
  }
}

void write();
