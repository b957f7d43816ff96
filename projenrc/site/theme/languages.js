// The language of programs: a click on a tab chooses it for all programs, also of later visits.
import { useRoute } from 'vitepress';
import { nextTick, onMounted, onUnmounted, watch } from 'vue';

const KEY = 'language';

function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // the browser keeps nothing
    return null;
  }
}

function write(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // the choice holds for this page
  }
}

/** Shows a language in all programs that have it. */
function show(language) {
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const tabs = [...group.querySelectorAll('.tabs label')];
    const chosen = tabs.findIndex(({ dataset }) => dataset.title === language);
    if (chosen === -1) {
      continue;
    }
    group.querySelectorAll('.tabs input')[chosen].checked = true;
    [...group.querySelector('.blocks').children].forEach((block, index) => {
      block.classList.toggle('active', index === chosen);
    });
  }
}

function choose({ target }) {
  if (!target.matches('.vp-code-group input')) {
    return;
  }
  const language = document.querySelector(`label[for="${target.id}"]`)?.dataset.title;
  if (language) {
    write(language);
    show(language);
  }
}

export function useChosenLanguage() {
  const route = useRoute();
  onMounted(() => {
    window.addEventListener('click', choose);
    show(read());
  });
  onUnmounted(() => window.removeEventListener('click', choose));
  watch(
    () => route.path,
    () => nextTick(() => show(read())),
    { flush: 'post' },
  );
}
