// The linter: what the formatter (prettier) and the compiler do not judge. `npx eslint <path>`
// lints a folder or a file.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import typescript from '@typescript-eslint/eslint-plugin';
import parser from '@typescript-eslint/parser';
import imports from 'eslint-plugin-import';

const ROOT = path.dirname(fileURLToPath(import.meta.url));

/** What a constructor of a class comes after, and what before. */
const MEMBER_ORDER = [
  'public-static-field',
  'public-static-method',
  'protected-static-field',
  'protected-static-method',
  'private-static-field',
  'private-static-method',
  'field',
  'constructor',
  'method',
];

const DEV_FILES = [
  '**/test/**',
  '**/examples/**',
  '**/bench/**',
  '.projenrc.ts',
  'projenrc/**/*.ts',
];

export default [
  {
    ignores: [
      '**/*.js',
      '**/*.mjs',
      '**/*.d.ts',
      '**/node_modules/',
      'lib/',
      'coverage/',
      'dist/',
      'templates/',
    ],
  },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser,
      sourceType: 'module',
      parserOptions: {
        // one program for everything: a program per folder checks the library again for each
        project: './tsconfig.all.json',
        tsconfigRootDir: ROOT,
      },
    },
    linterOptions: {
      // as before: comments of files that some versions of a rule need
      reportUnusedDisableDirectives: 'off',
    },
    plugins: {
      '@typescript-eslint': typescript,
      'import': imports,
    },
    settings: {
      ...imports.flatConfigs.typescript.settings,
      'import/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import/resolver': {
        node: {},
        typescript: { project: './tsconfig.json', alwaysTryTypes: true },
      },
      // so that its place among imports is the same before and after a compilation
      'import/internal-regex': '^cdk8s-harvester(/|$)',
    },
    rules: {
      'curly': ['error', 'all'],
      'dot-notation': 'error',
      'no-bitwise': 'error',
      // a named function with early returns, or a table, reads from top to bottom
      'no-nested-ternary': 'error',
      '@typescript-eslint/member-ordering': ['error', { default: MEMBER_ORDER }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-require-imports': 'error',
      '@typescript-eslint/no-shadow': 'error',
      '@typescript-eslint/return-await': 'error',
      'import/no-duplicates': 'error',
      'import/no-extraneous-dependencies': [
        'error',
        { devDependencies: DEV_FILES, optionalDependencies: false, peerDependencies: true },
      ],
      // the package's own name resolves once it is compiled, which the tests do not need; the type
      // check resolves it to the sources
      'import/no-unresolved': ['error', { ignore: ['^cdk8s-harvester(/|$)', '^#lib/'] }],
      'import/order': [
        'warn',
        { groups: ['builtin', 'external'], alphabetize: { order: 'asc', caseInsensitive: true } },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      // a placeholder outside of a template string is printed as it is written; tests contain late
      // values
      'no-template-curly-in-string': 'error',
    },
  },
  {
    // every import names the file that defines what it takes; that none runs in a circle is the
    // matter of test/architecture.test.ts,
    // since import/no-cycle walks all imports again for each file
    files: ['src/*/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '(^|/)(index|\\.|\\.\\.)$', message: 'import the file that defines it' },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/properties.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'fast-check',
              message: 'import { fc } from test/support/properties.ts, which sets the seed',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['.projenrc.ts'],
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      'import/no-extraneous-dependencies': 'off',
    },
  },
];
