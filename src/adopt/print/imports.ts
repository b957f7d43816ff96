import { posix } from 'path';
import { layOut, literal, Piece } from './text';
import { remembered } from '../../core/text/values';
import { packageOf } from '../evaluate/library';

/** A name, and the module that exports it. */
export interface Imported {
  readonly name: string;
  readonly from: string;
}

/** What a module imports. */
export class Imports {
  private readonly names = new Map<string, Set<string>>();

  constructor(
    private readonly path: string,
    more: readonly Imported[] = [],
  ) {
    for (const { name, from } of more) {
      this.import(name, from);
    }
  }

  /** A class or an enum of a package. */
  public add(type: string): void {
    this.import(type, packageOf(type));
  }

  /** A variable of a module of the program. */
  public local(name: string, module: string): string {
    if (module !== this.path) {
      const path = posix.relative(posix.dirname(this.path), module);
      this.import(name, path.startsWith('.') ? path : `./${path}`);
    }
    return name;
  }

  public text(): string {
    const modules = [...this.names.keys()].sort(packagesFirst);
    return modules.map((from) => importText(from, this.names.get(from)!)).join('');
  }

  private import(name: string, from: string): void {
    remembered(this.names, from, () => new Set<string>()).add(name);
  }
}

function byWord(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

/** Modules of packages come before those of the program. */
function packagesFirst(a: string, b: string): number {
  const isLocal = a.startsWith('.');
  if (isLocal !== b.startsWith('.')) {
    return isLocal ? 1 : -1;
  }
  return a < b ? -1 : 1;
}

function importText(from: string, names: Iterable<string>): string {
  const imported: Piece = {
    open: 'import {',
    items: [...names].sort(byWord),
    close: '}',
    isSpaced: true,
  };
  return `${layOut([imported, ` from ${literal(from)}`], 0, 0, 1)};\n`;
}
