// Four threads that build and tear down trees of small blocks, each its own, and count them side by side.
#include <thread>
#include <vector>

struct Node {
  long key;
  Node *left = nullptr, *right = nullptr;
};
struct Tally {
  long built, visited;
};
Tally tallies[4];

static void add(Node *&root, long key) {
  Node **at = &root;
  while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = new Node{key};
}

static void drop(Node *node, Tally &tally) {
  if (!node) return;
  drop(node->left, tally);
  drop(node->right, tally);
  tally.visited++;
  delete node;
}

static void work(int number) {
  Tally &tally = tallies[number];
  unsigned long random = 12345 + number;
  for (int round = 0; round < 20; round++) {
    Node *root = nullptr;
    for (int i = 0; i < 200; i++) {
      random = random * 6364136223846793005 + 1442695040888963407;
      add(root, static_cast<long>(random >> 33));
      tally.built++;
    }
    drop(root, tally);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
}
